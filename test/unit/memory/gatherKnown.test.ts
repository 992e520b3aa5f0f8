import { gatherKnown } from '../../../nodes/CompanyRegistry/trigger/memory/gatherKnown';
import type {
	KnownWebhook,
	TriggerState,
} from '../../../nodes/CompanyRegistry/trigger/memory/knownWebhooks';
import {
	remember,
	rememberState,
} from '../../../nodes/CompanyRegistry/trigger/memory/processMemory';

const ACCOUNT = 'credential@https://registry.example.com';
const URL = 'https://n8n.example.com/webhook/1/webhook';
const OLD_URL = 'https://old.example.com/webhook/1/webhook?ref=a';

let workflows = 0;
/** The memory outlives a test: no two share a trigger. */
function trigger() {
	return { workflow: `gathered-${++workflows}`, node: 'node', kind: 'production' as const };
}

function webhook(reference: string, changes: Partial<KnownWebhook> = {}): KnownWebhook {
	return {
		reference,
		company: '00445790',
		id: `id-${reference}`,
		secret: 'secret',
		status: 'watched',
		...changes,
	};
}

function state(run: string, webhooks: KnownWebhook[]): TriggerState {
	return {
		published: true,
		url: URL,
		account: ACCOUNT,
		events: ['filing.new'],
		formerEvents: [],
		run,
		webhooks,
		otherAccounts: {},
	};
}

function rememberFor(identity: ReturnType<typeof trigger>, known: KnownWebhook) {
	const { workflow, node, kind } = identity;
	const owner = `${workflow}/${node}/${kind}`;
	remember({ ...known, url: OLD_URL, account: ACCOUNT, owner, kind, events: ['filing.new'] });
}

it('knows the destination of what is stored as watched in a published workflow', () => {
	const stored = state('run-1', [webhook('a'), webhook('b', { status: 'paused' })]);
	expect(gatherKnown(trigger(), stored, ACCOUNT, [])).toEqual([
		{ ...webhook('a'), url: `${URL}?ref=a` },
		webhook('b', { status: 'paused' }),
	]);
});

it('takes the word of this process where it has written what is stored', () => {
	const identity = trigger();
	const stored = state('run-2', [webhook('a')]);
	rememberState(identity, stored, undefined);
	rememberFor(identity, webhook('a', { status: 'paused' }));
	expect(gatherKnown(identity, stored, ACCOUNT, [])).toMatchObject([
		{ id: 'id-a', status: 'paused', url: OLD_URL },
	]);
});

describe('when another process has written what is stored', () => {
	it('takes the stored word for what both know', () => {
		const identity = trigger();
		rememberFor(identity, webhook('a', { status: 'paused' }));
		const known = gatherKnown(identity, state('elsewhere-1', [webhook('a')]), ACCOUNT, []);
		expect(known).toMatchObject([{ id: 'id-a', status: 'watched', url: `${URL}?ref=a` }]);
	});

	it('keeps what only this process knows, but not where it delivered to', () => {
		const identity = trigger();
		rememberFor(identity, webhook('z'));
		const known = gatherKnown(identity, state('elsewhere-2', [webhook('a')]), ACCOUNT, []);
		expect(known).toMatchObject([{ id: 'id-a' }, { id: 'id-z', secret: 'secret', url: undefined }]);
	});
});

it('knows the webhooks of an account that the trigger used before, and of no other', () => {
	const stored = { ...state('run-3', [webhook('a')]), otherAccounts: { former: [webhook('f')] } };
	expect(gatherKnown(trigger(), stored, 'former', [])).toEqual([webhook('f')]);
	expect(gatherKnown(trigger(), stored, 'new', [])).toEqual([]);
	expect(gatherKnown(trigger(), undefined, ACCOUNT, [])).toEqual([]);
});
