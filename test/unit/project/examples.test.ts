// The workflows in examples/ fit the nodes, explain themselves and hold nothing private.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

import { NodeHelpers, type INodeType } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { normaliseCompanyNumber } from '../../../nodes/CompanyRegistry/shared/companyNumber';
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

	it('names only parameters and values that our nodes have', () => {
		expect(ours.length).toBeGreaterThan(0);
		for (const node of ours) {
			const { description } = ownNodes[node.type];
			const understood = NodeHelpers.getNodeParameters(
				description.properties,
				node.parameters,
				true,
				false,
				node,
				description,
			);
			expect(understood).toMatchObject(node.parameters);
			expect(
				NodeHelpers.getNodeParametersIssues(description.properties, node, description),
			).toBeNull();
		}
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
			'Execute workflow',
			'Open chat',
			'n8n API',
		];
		expect(bold.filter((words) => ![...names, ...fields].includes(words))).toEqual([]);
	});

	it('holds no credential, test data or static data of whoever made it', () => {
		const text = readFileSync(join(root, 'examples', `${name}.json`), 'utf8');
		expect(text).not.toMatch(/"(credentials|pinData|staticData|instanceId)"/);
	});

	// n8n keeps the webhook path of a file, and refuses to publish a second workflow with it.
	it('leaves webhook paths to n8n', () => {
		expect(workflow.nodes.filter(({ webhookId }) => webhookId !== undefined)).toEqual([]);
	});
});

describe.each(['keep-portfolio-in-step', 'repair-subscriptions'])('%s', (name) => {
	const [code] = exampleWorkflow(name)
		.nodes.map(({ parameters }) => /function inOrder.+?\n}/s.exec(String(parameters.jsCode)))
		.filter((match) => match !== null);
	const inOrder = runInNewContext(`(${code[0]})`) as (cell: unknown) => string | undefined;

	it.each([
		['445790'],
		[445790],
		[' sc 1234'],
		['R0000521'],
		['IP000CUS'],
		['123456789'],
		['SC12'],
		['A1'],
		['0044579ß'],
		['00445790, SC123456'],
		[''],
		[null],
	])('takes %j for the number that the nodes take it for', (cell) => {
		expect(inOrder(cell)).toBe(normaliseCompanyNumber(cell));
	});

	it('takes a word of a table for none, though it has eight letters', () => {
		expect(inOrder('to follow')).toBeUndefined();
	});
});
