import {
	isUnderWay,
	Overtaken,
	takeTurn,
	type Turn,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/turns';

const OWNER = 'workflow/node/production';

/** Work that ends when told to, and keeps what it sees. */
function work(name: string, log: string[]) {
	let end: (error?: Error) => void = () => undefined;
	const ended = new Promise<void>((resolve, reject) => {
		end = (error) => (error ? reject(error) : resolve());
	});
	let turn: Turn | undefined;
	return {
		end,
		get isOvertaken() {
			return turn?.overtaken;
		},
		run: async (given: Turn) => {
			turn = given;
			turn.onOvertaken = () => log.push(`${name} is overtaken`);
			log.push(`${name} begins`);
			await ended;
			log.push(`${name} ends`);
		},
	};
}

/** Lets everything run that waits for nothing. */
async function settle(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}

describe('takeTurn', () => {
	it('begins a run when the one before it has ended, and tells that one to stop', async () => {
		const log: string[] = [];
		const first = work('first', log);
		const second = work('second', log);
		const one = takeTurn(OWNER, 'publish', first.run);
		await settle();
		expect(first.isOvertaken).toBe(false);
		const two = takeTurn(OWNER, 'publish', second.run);
		await settle();
		expect(first.isOvertaken).toBe(true);
		expect(log).toEqual(['first begins', 'first is overtaken']);
		first.end();
		await one;
		await settle();
		expect(log).toEqual(['first begins', 'first is overtaken', 'first ends', 'second begins']);
		second.end();
		await two;
		expect(isUnderWay(OWNER)).toBe(false);
	});

	it('lets runs of different triggers run side by side', async () => {
		const log: string[] = [];
		const first = work('first', log);
		const second = work('second', log);
		const both = [takeTurn('one', 'publish', first.run), takeTurn('other', 'publish', second.run)];
		await settle();
		expect(log).toEqual(['first begins', 'second begins']);
		first.end();
		second.end();
		await Promise.all(both);
	});

	it('is under way until the last run has ended, also with an error', async () => {
		const first = work('first', []);
		const one = takeTurn(OWNER, 'publish', first.run);
		expect(isUnderWay(OWNER)).toBe(true);
		first.end(new Error('402'));
		await expect(one).rejects.toThrow('402');
		expect(isUnderWay(OWNER)).toBe(false);
	});

	it('is under way while a later run goes on, whatever becomes of the earlier one', async () => {
		const first = work('first', []);
		const second = work('second', []);
		const one = takeTurn(OWNER, 'publish', first.run);
		const two = takeTurn(OWNER, 'unpublish', second.run);
		first.end(new Overtaken());
		await one;
		expect(isUnderWay(OWNER)).toBe(true);
		second.end();
		await two;
		expect(isUnderWay(OWNER)).toBe(false);
	});

	// What n8n sees of a run that stops because a later one overtook it.
	it.each([
		['publish', 'publish', undefined, undefined],
		['publish', 'publish', new Error('402'), '402'],
		['publish', 'unpublish', undefined, undefined],
		['publish', 'unpublish', new Error('402'), undefined],
		['unpublish', 'publish', undefined, undefined],
		['unpublish', 'publish', new Error('402'), undefined],
	] as const)(
		'a %s overtaken by a %s that ends with %s: %s',
		async (purpose, later, ending, seen) => {
			const first = work('first', []);
			const second = work('second', []);
			const outcomes = [takeTurn(OWNER, purpose, first.run), takeTurn(OWNER, later, second.run)];
			const results = Promise.allSettled(outcomes);
			await settle();
			first.end(new Overtaken());
			second.end(ending);
			const [one, two] = (await results).map((result) =>
				result.status === 'rejected' ? (result.reason as Error).message : undefined,
			);
			expect(one).toBe(seen);
			expect(two).toBe(ending?.message);
		},
	);

	it('gives every run of a chain the end of the last publish', async () => {
		const runs = [work('a', []), work('b', []), work('c', [])];
		const results = Promise.allSettled(
			runs.map(async ({ run }) => await takeTurn(OWNER, 'publish', run)),
		);
		await settle();
		runs[0].end(new Overtaken());
		runs[1].end(new Error('dropped'));
		runs[2].end();
		expect((await results).map(({ status }) => status)).toEqual([
			'fulfilled',
			'fulfilled',
			'fulfilled',
		]);
	});

	it('keeps the success of a run that had ended its work before it was overtaken', async () => {
		const first = work('first', []);
		const second = work('second', []);
		const one = takeTurn(OWNER, 'publish', first.run);
		const two = takeTurn(OWNER, 'publish', second.run);
		await settle();
		first.end();
		await one;
		second.end(new Error('402'));
		await expect(two).rejects.toThrow('402');
	});
});
