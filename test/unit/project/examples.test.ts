// The workflows in examples/ fit the nodes, explain themselves and hold nothing private.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

import { NodeHelpers, type INodeParameters, type INodeType } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { normaliseCompanyNumber } from '../../../nodes/CompanyRegistry/shared/companyNumber';
import { readPasted } from '../../../nodes/CompanyRegistry/trigger/parameters/pastedCompanies';
import { exampleWorkflow } from '../../n8n-host/exampleWorkflows';

const root = join(__dirname, '../../..');
const examples = readdirSync(join(root, 'examples')).map((file) => file.replace(/\.json$/, ''));
const ownNodes: Record<string, INodeType> = {
	'n8n-nodes-company-registry.companyRegistry': new CompanyRegistry(),
	// What n8n makes of the same node for its agents.
	'n8n-nodes-company-registry.companyRegistryTool': new CompanyRegistry(),
	'n8n-nodes-company-registry.companyRegistryTrigger': new CompanyRegistryTrigger(),
};
const NOTE = 'n8n-nodes-base.stickyNote';
const MAIL = 'n8n-nodes-base.emailSend';
const NOBODY = { company: [{ companyNumber: { __rl: true, mode: 'list', value: '' } }] };
const SOMEBODY = { company: [{ companyNumber: { __rl: true, mode: 'list', value: '99000001' } }] };

/** What the notes have a user fill in. */
function filledIn({ companyNumbers, companies, recordPath }: INodeParameters): INodeParameters {
	return {
		...(companyNumbers !== undefined && { companyNumbers: '99000001' }),
		...(companies !== undefined && { companies: SOMEBODY }),
		...(recordPath !== undefined && { recordPath: '/v1/records/{company_number}' }),
	};
}

it('there is an example of each node', () => {
	const used = examples.flatMap((name) => exampleWorkflow(name).nodes.map(({ type }) => type));
	expect(used).toEqual(expect.arrayContaining(Object.keys(ownNodes)));
});

it('the README lists each example', () => {
	const readme = readFileSync(join(root, 'README.md'), 'utf8');
	const listed = [...readme.matchAll(/^\| \[([\w-]+)\]\(examples\/\1\.json\) \| \w/gm)].map(
		([, name]) => name,
	);
	expect(listed.sort()).toEqual([...examples].sort());
});

describe.each(examples)('examples/%s.json', (name) => {
	const workflow = exampleWorkflow(name);
	const ours = workflow.nodes.filter(({ type }) => type in ownNodes);

	it('names only parameters and values that our nodes have, and lacks nothing but what its note says', () => {
		for (const node of ours) {
			const { description } = ownNodes[node.type];
			const { properties } = description;
			const parameters = { ...node.parameters, ...filledIn(node.parameters) };
			const filled = { ...node, parameters };
			const understood = NodeHelpers.getNodeParameters(
				properties,
				parameters,
				true,
				false,
				filled,
				description,
			);
			expect(understood).toMatchObject(parameters);
			expect(NodeHelpers.getNodeParametersIssues(properties, filled, description)).toBeNull();
		}
	});

	it('names no company, and leaves a registry trigger alone with its workflow', () => {
		const triggers = workflow.nodes.filter(({ type }) => type.endsWith('Trigger'));
		for (const { parameters } of triggers.filter(({ type }) => type in ownNodes)) {
			expect(triggers).toHaveLength(1);
			expect(parameters).toMatchObject(
				parameters.companiesFrom === 'numbers' ? { companyNumbers: '' } : { companies: NOBODY },
			);
		}
	});

	it('sends plain mails from and to whoever imports it, and no line of its own below', () => {
		for (const { parameters } of workflow.nodes.filter(({ type }) => type === MAIL)) {
			expect(parameters).toMatchObject({
				fromEmail: '',
				toEmail: '',
				emailFormat: 'text',
				options: { appendAttribution: false },
			});
		}
		expect(workflow.settings).toMatchObject({ timezone: 'Europe/London' });
	});

	it('connects nodes that it has', () => {
		const names = workflow.nodes.filter(({ type }) => type !== NOTE).map((node) => node.name);
		const sources = Object.keys(workflow.connections);
		const targets = Object.values(workflow.connections)
			.flatMap((outputs) => Object.values(outputs).flat(2))
			.map((connection) => connection?.node);
		expect(names).toEqual(expect.arrayContaining([...sources, ...targets]));
		expect(new Set([...sources, ...targets])).toEqual(new Set(names));
	});

	it('says on the canvas what to fill in, and speaks of nodes that it has', () => {
		const notes = workflow.nodes.filter(({ type }) => type === NOTE);
		const text = notes.map(({ parameters }) => String(parameters.content)).join('\n');
		expect(text).toMatch(/credential/);
		const bold = [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, words]) => words);
		const names = workflow.nodes.map((node) => node.name);
		const fields = [
			'Always Output Data',
			'Companies From',
			'Company Numbers',
			'Data tables',
			'Execute step',
			'Execute workflow',
			'Open chat',
			'Trigger On',
			'n8n API',
		];
		const isLeadIn = (words: string) => /[?:]$/.test(words);
		const known = [...names, ...fields];
		expect(bold.filter((words) => !isLeadIn(words) && !known.includes(words))).toEqual([]);
	});

	// n8n keeps the webhook path of a file, and refuses to publish a second workflow with it.
	it('holds no credential, data or webhook path of whoever made it', () => {
		const text = readFileSync(join(root, 'examples', `${name}.json`), 'utf8');
		expect(text).not.toMatch(/"(credentials|pinData|staticData|instanceId)"/);
		expect(workflow.nodes.filter(({ webhookId }) => webhookId !== undefined)).toEqual([]);
	});
});

describe('code that several examples share', () => {
	/** A function as the Code nodes of the examples have it, and those that it uses. */
	function shared<Shared>(name: string, uses: string[] = []): Shared {
		const copies = (one: string) =>
			examples
				.flatMap((example) => exampleWorkflow(example).nodes)
				.map(({ parameters }) =>
					new RegExp(`function ${one}\\(.+?\\n}`, 's').exec(String(parameters.jsCode)),
				)
				.flatMap((match) => match?.[0] ?? []);
		const code = [...uses, name].map((one) => {
			expect([one, new Set(copies(one)).size]).toEqual([one, 1]);
			return copies(one)[0];
		});
		return runInNewContext(`${code.join('\n')}\n(${name})`) as Shared;
	}

	const inOrder = shared<(cell: unknown) => string | undefined>('inOrder');
	const pastedIn = shared<(text: string) => Array<{ number?: string; name: string }>>('pastedIn', [
		'inOrder',
		'columnsOf',
	]);

	const numbers = [
		'445790',
		445790,
		' sc 1234',
		'R0000521',
		'IP000CUS',
		'="00445790"',
		"'00445790",
	];
	const spaced = ['445790.0', '445,790', '00 445 790', '\u200b445790', '1234 5678'];
	const none = ['123456789', 'SC12', 'A1', '0044579ß', '00445790, SC123456', 'SC000000', '', null];
	it.each([...numbers, ...spaced, ...none])(
		'takes %j for the number that the nodes take it for',
		(cell) => {
			expect(inOrder(cell)).toBe(normaliseCompanyNumber(cell));
		},
	);

	it('takes a word of a table for none, though it has eight letters', () => {
		expect(inOrder('to follow')).toBeUndefined();
	});

	it.each([
		['445790\nSC123456, 1234567;12345678'],
		['445,790\n00 445 790\n12345678 790'],
		['Company number\tName\n99000001\tTessellate Stores plc\n445790\tB1'],
		['1001\tTessellate Stores plc\t99000001\r\nT2\tGlen Orrin\tSC993456\r\n'],
		['Client\tCompany_Number\nOne\t445790\n\n Two \t ="01487520"\nSC123456'],
		['99000001\t\nnone\tTo follow\nSC993456\tThree'],
	])('reads %j in the field of the trigger as the trigger does', (text) => {
		const asTheTrigger = readPasted(text)?.map(({ number, name }) => ({
			number,
			name: name ?? '',
		}));
		expect(pastedIn(text)).toEqual(asTheTrigger);
	});
});

it.each(['keep-portfolio-in-step', 'repair-subscriptions'])(
	'%s, whose executions hold signing secrets, has n8n keep none',
	(name) => {
		const { nodes, settings } = exampleWorkflow(name);
		expect(settings).toMatchObject({
			saveDataSuccessExecution: 'none',
			saveDataErrorExecution: 'none',
			saveManualExecutions: false,
			saveExecutionProgress: false,
		});
		// A longer wait would be written to the database, with all that came before it.
		const [{ parameters }] = nodes.filter((node) => node.name === 'Give It Time');
		expect(parameters.amount).toContain('Math.min(60, ');
	},
);
