import type {
	TriggerIdentity,
	TriggerState,
} from '../../../nodes/CompanyRegistry/trigger/memory/knownWebhooks';
import {
	currentState,
	forget,
	isMemoryOutdated,
	leaveOtherAccounts,
	ownerOf,
	recall,
	recallState,
	recallUsable,
	remember,
	rememberState,
	type RememberedWebhook,
} from '../../../nodes/CompanyRegistry/trigger/memory/processMemory';

let workflows = 0;
/** The memory outlives a test: no two share a trigger or an account. */
function trigger(
	kind: TriggerIdentity['kind'] = 'production',
): TriggerIdentity & { account: string } {
	const workflow = `remembered-${++workflows}`;
	return { workflow, node: 'node', kind, account: `account of ${workflow}` };
}

function webhookOf(
	identity: ReturnType<typeof trigger>,
	changes: Partial<RememberedWebhook> = {},
): RememberedWebhook {
	const reference = `reference of ${ownerOf(identity)}`;
	return {
		reference,
		company: '00445790',
		id: 'wh_1',
		secret: 'secret',
		status: 'paused',
		account: identity.account,
		owner: ownerOf(identity),
		kind: identity.kind,
		events: ['filing.new'],
		...changes,
	};
}

function stateOf(run: string): TriggerState {
	return {
		published: true,
		url: 'https://n8n.example.com/webhook/1',
		account: 'account',
		events: ['filing.new'],
		formerEvents: [],
		run,
		webhooks: [],
		otherAccounts: {},
	};
}

describe('a remembered webhook', () => {
	it('is found by its own trigger alone, until it is forgotten', () => {
		const identity = trigger();
		const webhook = webhookOf(identity);
		remember(webhook);
		expect(recall(webhook.reference, identity)).toEqual(webhook);
		for (const other of [
			{ ...identity, workflow: 'another' },
			{ ...identity, node: 'another' },
			{ ...identity, kind: 'test' as const },
		]) {
			expect(recall(webhook.reference, other)).toBeUndefined();
		}
		forget(webhook.reference);
		expect(recall(webhook.reference, identity)).toBeUndefined();
	});

	it('is what was remembered of it last', () => {
		const identity = trigger();
		remember(webhookOf(identity));
		remember(webhookOf(identity, { status: 'watched' }));
		expect(recallUsable(identity.account, identity, [])).toEqual([
			webhookOf(identity, { status: 'watched' }),
		]);
	});
});

describe('the webhooks that a trigger may use', () => {
	it.each(['production', 'test'] as const)(
		'are all of its own, whatever is wanted of them (%s)',
		(kind) => {
			const identity = trigger(kind);
			remember(webhookOf(identity, { status: 'unpaused' }));
			expect(recallUsable(identity.account, identity, ['another company'])).toHaveLength(1);
			expect(recallUsable('another account', identity, ['00445790'])).toEqual([]);
		},
	);

	it.each<[string, TriggerIdentity['kind'], Partial<RememberedWebhook>, number]>([
		['a paused test webhook', 'test', { kind: 'test' }, 1],
		['one of a test that listens', 'test', { kind: 'test', status: 'watched' }, 0],
		['one of a company that is not wanted', 'test', { kind: 'test', company: 'SC123456' }, 0],
		['a published one', 'test', { kind: 'production' }, 0],
		['a test webhook, for a publish', 'production', { kind: 'test' }, 0],
		['a published one, for a publish', 'production', { kind: 'production' }, 0],
	])("of another trigger's: %s", (_what, kind, changes, count) => {
		const identity = trigger(kind);
		remember(webhookOf(identity, { owner: 'another trigger', ...changes }));
		expect(recallUsable(identity.account, identity, ['00445790'])).toHaveLength(count);
		expect(recallUsable('another account', identity, ['00445790'])).toEqual([]);
	});
});

describe('leaving an account', () => {
	it('ends watching there, for this trigger alone', () => {
		const [identity, stranger] = [trigger(), trigger()];
		const webhook = webhookOf(identity, { status: 'watched' });
		const here = webhookOf(identity, {
			reference: 'here',
			account: 'new account',
			status: 'watched',
		});
		const paused = webhookOf(identity, { reference: 'paused', status: 'paused' });
		const another = webhookOf(stranger, { status: 'watched' });
		for (const one of [webhook, here, paused, another]) remember(one);
		leaveOtherAccounts('new account', identity);
		expect(recall(webhook.reference, identity)).toEqual({ ...webhook, status: 'unpaused' });
		expect(recall(here.reference, identity)).toEqual(here);
		expect(recall(paused.reference, identity)).toEqual(paused);
		expect(recall(another.reference, stranger)).toEqual(another);
	});
});

describe('the state of a trigger', () => {
	it('is the stored one as long as none is remembered', () => {
		const identity = trigger();
		expect(recallState(identity)).toBeUndefined();
		expect(currentState(identity, undefined)).toBeUndefined();
		expect(currentState(identity, stateOf('stored'))).toEqual(stateOf('stored'));
	});

	it('is the remembered one where this process wrote it or went on from what is stored', () => {
		const identity = trigger();
		rememberState(identity, stateOf('later'), stateOf('before'));
		expect(recallState(identity)).toEqual(stateOf('later'));
		for (const stored of [undefined, stateOf('before'), stateOf('later')]) {
			expect(isMemoryOutdated(stored)).toBe(false);
			expect(currentState(identity, stored)).toEqual(stateOf('later'));
		}
	});

	it('is the stored one where another process has written it since', () => {
		const identity = trigger();
		rememberState(identity, stateOf('own'), undefined);
		expect(isMemoryOutdated(stateOf('foreign'))).toBe(true);
		expect(currentState(identity, stateOf('foreign'))).toEqual(stateOf('foreign'));
	});

	it('is the stored one where the run that wrote it is known and the state is not', () => {
		rememberState(trigger(), stateOf('known'), undefined);
		expect(currentState(trigger(), stateOf('known'))).toEqual(stateOf('known'));
	});
});
