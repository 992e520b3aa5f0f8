// The workflows in examples/ fit the nodes, explain themselves and hold nothing private.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { NodeHelpers, type INodeParameters, type INodeType } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
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

	// n8n keeps the webhook path of a file, and refuses to publish a second workflow with it.
	it('holds no company, credential, data or webhook path of whoever made it, and leaves a registry trigger alone', () => {
		const text = readFileSync(join(root, 'examples', `${name}.json`), 'utf8');
		expect(text).not.toMatch(/"(credentials|pinData|staticData|instanceId)"/);
		expect(workflow.nodes.filter(({ webhookId }) => webhookId !== undefined)).toEqual([]);
		const triggers = workflow.nodes.filter(({ type }) => type.endsWith('Trigger'));
		for (const { parameters } of triggers.filter(({ type }) => type in ownNodes)) {
			expect(triggers).toHaveLength(1);
			expect(parameters).toMatchObject(
				parameters.companiesFrom === 'numbers' ? { companyNumbers: '' } : { companies: NOBODY },
			);
		}
	});

	it('sends plain mails from and to whoever imports it, and no line of its own below', () => {
		const fields = { fromEmail: '', toEmail: '', emailFormat: 'text' };
		for (const { parameters } of workflow.nodes.filter(({ type }) => type === MAIL)) {
			expect(parameters).toMatchObject({ ...fields, options: { appendAttribution: false } });
		}
		expect(workflow.settings).toMatchObject({ timezone: 'Europe/London' });
	});

	it('connects nodes that it has', () => {
		const names = workflow.nodes.filter(({ type }) => type !== NOTE).map((node) => node.name);
		const sources = Object.keys(workflow.connections);
		const targets = Object.values(workflow.connections)
			.flatMap((outputs) => Object.values(outputs).flat(2))
			.map((connection) => connection?.node);
		expect(new Set([...sources, ...targets])).toEqual(new Set(names));
	});

	it('says on the canvas what to fill in, and speaks of nodes that it has', () => {
		const notes = workflow.nodes.filter(({ type }) => type === NOTE);
		const text = notes.map(({ parameters }) => String(parameters.content)).join('\n');
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
});

it('no example uses a node that n8n 3 has not', () => {
	const gone = /\.(function|functionItem|itemLists)$/;
	const nodes = examples.flatMap((name) => exampleWorkflow(name).nodes);
	expect(nodes.filter(({ type }) => gone.test(type))).toEqual([]);
	const agents = nodes.filter(({ type }) => type.endsWith('.agent'));
	expect(agents.filter(({ typeVersion }) => typeVersion < 2)).toEqual([]);
});
