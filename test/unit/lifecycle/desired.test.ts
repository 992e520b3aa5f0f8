// What a trigger should have at the service, by its parameters and by what was in force until now.
import type { INodeParameters } from 'n8n-workflow';

import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import {
	emptyDesired,
	readDesired,
	withList,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/desired';
import { TriggerMemory } from '../../../nodes/CompanyRegistry/trigger/lifecycle/state';
import { optionsSchema } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import { changesOf } from '../../../nodes/CompanyRegistry/trigger/parameters/watchReport';
import { hookContext, testWorkflow } from '../../support/contexts';
import { watching } from '../../support/savedWorkflow';

const PREVIOUS = ['10000001', '10000002'];
const trigger = new CompanyRegistryTrigger();

function read(parameters: INodeParameters) {
	const workflow = testWorkflow({ nodeType: trigger, parameters });
	const memory = new TriggerMemory({ workflow: '', node: '' });
	memory.updateFacts({ events: ['psc.added'] });
	const names = new Map([[PREVIOUS[0], 'Acme Ltd']]);
	memory.desired = { ...emptyDesired('', []), companies: PREVIOUS, names };
	return readDesired(hookContext(workflow), memory, PREVIOUS.slice(0, 1));
}

/** Rows of the list: one that looks like a mistyped number, one that does not. */
const row = (looksMistyped: boolean) => ({ row: 2, words: 'row 2 ("x")', looksMistyped });

// A mistyped number must not end the watch of its company.
it.each<[string, 'stop' | 'skip', Array<ReturnType<typeof row>>, string[]]>([
	['all rows can be read', 'stop', [], []],
	['a row cannot be read', 'stop', [row(false)], ['1']],
	['such a row is skipped', 'skip', [row(false)], []],
	[
		'such a row is skipped, but looks like a mistyped number',
		'skip',
		[row(false), row(true)],
		['1'],
	],
])(
	'where %s (%s), companies that left the list stay watched accordingly',
	(_when, unwatchable, unreadable, kept) => {
		const options = optionsSchema.parse({ unwatchable });
		const empty = emptyDesired('', []);
		const list = { ...empty, companies: ['2', '3'], unreadable };
		const desired = withList({ ...empty, options }, list, ['1', '2']);
		expect(desired).toMatchObject({ companies: ['2', '3', ...kept], kept, unreadable });
	},
);

it('a publish adds and removes the difference', () => {
	expect(changesOf(['1', '2'], ['2', '3'])).toEqual({ added: ['3'], removed: ['1'] });
});

it('the list, the events and the options are read as entered', () => {
	const table = 'Company number\tClient\n445790\tTesco\nSC123456\tOther';
	const options = { additionalEvents: 'company.dissolved', checkEvery: 'day', unwatchable: 'skip' };
	const desired = read(watching([table], { events: ['filing.new', 'watch.report'], options }));
	expect(desired).toMatchObject({
		companies: ['00445790', 'SC123456'],
		kept: [],
		events: ['filing.new', 'company.dissolved'],
		showsReport: true,
		followsLink: false,
		unreadable: [],
		refusal: '',
		options,
	});
	expect(desired.url).toMatch(/^https:\/\/n8n\.example\.com\/webhook\/.+\/webhook$/);
	// Names of companies that leave the list are still needed for messages.
	expect(Object.fromEntries(desired.names)).toEqual({
		'00445790': 'Tesco',
		SC123456: 'Other',
		'10000001': 'Acme Ltd',
	});
	expect(desired).not.toHaveProperty('problem');
});

it.each<[string, INodeParameters, RegExp]>([
	[
		'an expression',
		watching(['{{ $json.missing.deeper }}'], { companyNumbers: '={{ $json.missing.deeper }}' }),
		/./,
	],
	[
		'a custom scheme that does not sign the body',
		watching(['10000003'], {
			options: { signature: { scheme: { header: 'x', content: '{timestamp}' } } },
		}),
		/custom signature scheme cannot be used/,
	],
])('where %s cannot be used, the previous state stays in force', (_what, parameters, problem) => {
	const desired = read(parameters);
	expect(desired).toMatchObject({
		companies: PREVIOUS,
		events: ['psc.added'],
		kept: [],
	});
	expect(desired.problem?.message).toMatch(problem);
});
