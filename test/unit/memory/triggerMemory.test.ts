// What one process remembers of one trigger, and when what is stored is the later word.
import type { TriggerState } from '../../../nodes/CompanyRegistry/trigger/memory/savedState';
import {
	servesAnotherN8n,
	TriggerMemory,
	type RememberedWebhook,
} from '../../../nodes/CompanyRegistry/trigger/memory/triggerMemory';
import type { KnownWebhook } from '../../../nodes/CompanyRegistry/trigger/memory/webhookLines';

const URL = 'https://n8n.example.com/webhook/1/webhook';

function stored(id: string, status: KnownWebhook['status'] = 'watched'): KnownWebhook {
	return { reference: `ref-${id}`, company: `company ${id}`, id, secret: `secret ${id}`, status };
}

function remembered(id: string, changes: Partial<RememberedWebhook> = {}): RememberedWebhook {
	return {
		...stored(id),
		account: 'account',
		url: `${URL}?ref=ref-${id}`,
		events: ['filing.new'],
		...changes,
	};
}

function state(runId: string, changes: Partial<TriggerState> = {}): TriggerState {
	return {
		published: true,
		url: URL,
		account: 'account',
		events: ['filing.new'],
		formerEvents: [],
		runId,
		webhooks: [],
		setAside: {},
		leftOut: [],
		...changes,
	};
}

const ids = (webhooks: RememberedWebhook[]) => webhooks.map(({ id }) => id);

describe('loading what is stored', () => {
	it('takes it over with what it says of each destination', () => {
		const memory = new TriggerMemory();
		memory.load(
			state('run', {
				webhooks: [stored('a'), stored('b', 'paused')],
				setAside: { other: [stored('c')] },
			}),
		);
		expect(memory.current).toEqual([
			remembered('a'),
			{ ...stored('b', 'paused'), account: 'account', events: ['filing.new'] },
		]);
		expect(memory.of('other')).toEqual([{ ...stored('c'), account: 'other', events: [] }]);
		expect(memory).toMatchObject({ published: true, url: URL, events: ['filing.new'] });
	});

	it('does not know what has become of active webhooks since an unpublish', () => {
		const memory = new TriggerMemory();
		memory.load(state('run', { published: false, webhooks: [stored('a')] }));
		expect(memory.current).toEqual([remembered('a', { status: 'unconfirmed' })]);
	});

	it('changes nothing where this memory is later', () => {
		const memory = new TriggerMemory();
		memory.load(state('run', { webhooks: [stored('a')] }));
		memory.beginRun();
		memory.note(remembered('a', { status: 'paused' }));
		memory.load(state('run', { webhooks: [stored('a'), stored('b')] }));
		memory.load(undefined);
		expect(memory.current).toEqual([remembered('a', { status: 'paused' })]);
	});

	it('trusts what another process has stored since, and forgets nothing', () => {
		const memory = new TriggerMemory();
		memory.load(state('run', { webhooks: [stored('a')] }));
		memory.note(remembered('b'));
		memory.load(state('of another process', { webhooks: [stored('a', 'paused')] }));
		expect(memory.current).toEqual([
			{ ...stored('a', 'paused'), account: 'account', events: ['filing.new'] },
			remembered('b', { url: undefined }),
		]);
	});
});

describe('a memory is later than', () => {
	it('nothing stored, what it has loaded, and what it has written', () => {
		const memory = new TriggerMemory();
		memory.load(state('run'));
		memory.beginRun();
		memory.note(remembered('a'));
		const written = memory.toState()?.runId;
		memory.beginRun();
		expect([undefined, 'run', written].map((run) => memory.isLaterThan(run))).toEqual([
			true,
			true,
			true,
		]);
		expect(memory.isLaterThan('of another process')).toBe(false);
	});

	it('what is saved only until it changes', () => {
		const memory = new TriggerMemory();
		memory.load(state('run'));
		expect(memory.isSaved('run')).toBe(true);
		memory.beginRun();
		expect(memory.isSaved('run')).toBe(false);
		expect(memory.isSaved(undefined)).toBe(false);
		expect(memory.isSaved('of another process')).toBe(true);
	});
});

describe('what is to be stored', () => {
	it('is nothing while no webhook is known', () => {
		const memory = new TriggerMemory();
		expect(memory.toState()).toBeUndefined();
		memory.beginRun();
		expect(memory.toState()).toBeUndefined();
	});

	it('is everything, by account', () => {
		const memory = new TriggerMemory();
		memory.load(state('run'));
		memory.beginRun();
		for (const webhook of [remembered('a'), remembered('b', { account: 'other' })]) {
			memory.note(webhook);
		}
		expect(memory.toState()).toMatchObject({
			runId: expect.stringMatching(/^[\w-]{12}$/),
			account: 'account',
			webhooks: [{ id: 'a', status: 'watched' }],
			setAside: { other: [{ id: 'b' }] },
		});
	});

	it('is nothing before a life-cycle run, whatever is known', () => {
		const memory = new TriggerMemory();
		expect(memory).toMatchObject({
			published: false,
			url: '',
			account: '',
			events: [],
			leftOut: [],
		});
		memory.note(remembered('a'));
		expect(memory.toState()).toBeUndefined();
	});

	it('has no webhook of the account in use where all are set aside', () => {
		const memory = new TriggerMemory();
		memory.load(state('run', { account: 'empty' }));
		memory.note(remembered('a', { account: 'other' }));
		expect(memory.toState()).toMatchObject({ webhooks: [], setAside: { other: [{ id: 'a' }] } });
	});

	it('is paused what is paused, wherever it delivered', () => {
		const memory = new TriggerMemory();
		memory.load(state('run', { webhooks: [stored('a', 'paused')] }));
		expect(memory.toState()?.webhooks[0].status).toBe('paused');
	});

	it('is watched only what delivers to the stored URL', () => {
		const memory = new TriggerMemory();
		memory.load(state('run', { webhooks: [stored('a')] }));
		memory.url = 'https://moved.example.com/webhook/1/webhook';
		expect(memory.toState()?.webhooks[0].status).toBe('unconfirmed');
	});
});

describe('events', () => {
	it('that are no longer wanted are remembered as long as they are not', () => {
		const memory = new TriggerMemory();
		memory.wantEvents(['one', 'two']);
		memory.wantEvents(['two']);
		expect([memory.events, memory.formerEvents]).toEqual([['two'], ['one']]);
		memory.wantEvents(['one']);
		expect([memory.events, memory.formerEvents]).toEqual([['one'], ['two']]);
	});
});

describe('using an account', () => {
	const memory = () => {
		const it = new TriggerMemory();
		it.load(state('run', { account: 'first', webhooks: [stored('a'), stored('b')] }));
		return it;
	};

	it('sets the webhooks of the one before aside', () => {
		const subject = memory();
		subject.useAccount('second', () => false);
		expect(subject.current).toEqual([]);
		expect(ids(subject.of('first'))).toEqual(['a', 'b']);
		subject.useAccount('first', () => false);
		expect(ids(subject.current)).toEqual(['a', 'b']);
	});

	it('takes over those that are proven to be its own', () => {
		const subject = memory();
		subject.note(remembered('c', { account: 'third' }));
		subject.useAccount('second', (key) => key === 'first');
		expect(ids(subject.current)).toEqual(['a', 'b']);
		expect(ids(subject.of('third'))).toEqual(['c']);
	});

	it('sets aside for the original what belongs to accounts used before as well', () => {
		const subject = memory();
		subject.note(remembered('c', { account: 'second' }));
		subject.setAsideCurrent('https://production.example.com/webhook');
		const keys = [...subject.webhooks.values()].map(({ account }) => account);
		expect(keys).toEqual([
			'first https://production.example.com/webhook',
			'first https://production.example.com/webhook',
			'second https://production.example.com/webhook',
		]);
	});

	it('leaves what serves another n8n aside, and says so by its key', () => {
		const subject = memory();
		subject.setAsideCurrent('https://production.example.com/webhook');
		expect(subject.current).toEqual([]);
		const keys = new Set([...subject.webhooks.values()].map(({ account }) => account));
		expect([...keys]).toEqual(['first https://production.example.com/webhook']);
		expect([...keys].every(servesAnotherN8n)).toBe(true);
		expect(servesAnotherN8n('https://registry.example.com#12345678')).toBe(false);
	});

	it('leaves aside under its first key what was set aside before', () => {
		const subject = memory();
		subject.setAsideCurrent('https://production.example.com/webhook');
		subject.setAsideCurrent('https://staging.example.com/webhook');
		const keys = new Set([...subject.webhooks.values()].map(({ account }) => account));
		expect([...keys]).toEqual(['first https://production.example.com/webhook']);
	});

	it('never forgets the account in use', () => {
		const subject = memory();
		for (let n = 1; n <= 11; n++) subject.note(remembered(`w${n}`, { account: `other ${n}` }));
		subject.useAccount('first', () => false);
		expect(ids(subject.current)).toEqual(['a', 'b']);
		expect(subject.webhooks.size).toBe(2 + 10);
	});

	it('forgets the oldest of more than ten', () => {
		const subject = memory();
		for (let n = 1; n <= 12; n++) subject.note(remembered(`w${n}`, { account: `other ${n}` }));
		subject.useAccount('now', () => false);
		expect(subject.of('other 3')).toEqual([]);
		expect(ids(subject.of('other 4'))).toEqual(['w4']);
		// The account in use until now.
		expect(ids(subject.of('first'))).toEqual(['a', 'b']);
		expect(subject.webhooks.size).toBe(9 + 2);
	});

	it('forgets the account that was just left last, also after a restart', () => {
		const setAside = Object.fromEntries(
			Array.from({ length: 10 }, (_, n) => [`other ${n}`, [stored(`w${n}`)]]),
		);
		const subject = new TriggerMemory();
		subject.load(state('run', { webhooks: [stored('a')], setAside }));
		subject.useAccount('now', () => false);
		expect(ids(subject.of('account'))).toEqual(['a']);
		expect(subject.of('other 0')).toEqual([]);
	});
});

describe("n8n's clean-up after a failed publish", () => {
	it('is expected once for each, with the state before or the one it wrote', () => {
		const memory = new TriggerMemory();
		memory.beginRun();
		memory.note(remembered('a'));
		const written = memory.toState()?.runId;
		memory.expectCleanUp('before');
		expect(memory.takeExpectedCleanUp('unknown')).toBe(false);
		expect(memory.takeExpectedCleanUp('before')).toBe(true);
		expect(memory.takeExpectedCleanUp('before')).toBe(false);
		memory.expectCleanUp(undefined);
		expect(memory.takeExpectedCleanUp(written)).toBe(true);
		memory.expectCleanUp(undefined);
		expect(memory.takeExpectedCleanUp(undefined)).toBe(true);
	});
});
