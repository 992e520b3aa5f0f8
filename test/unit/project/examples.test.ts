// The workflows in examples/ fit the nodes, explain themselves, stay small and hold nothing private.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { NodeHelpers, type INode, type INodeParameters, type INodeType } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { exampleWorkflow } from '../../n8n-host/exampleWorkflows';

const root = join(__dirname, '../../..');
const examples = [
	'check-portfolio',
	'collect-events',
	'daily-digest',
	'find-company-numbers',
	'keep-evidence',
	'mail-when-something-fails',
	'review-new-officer-or-psc',
	'serve-a-list',
	'watch-portfolio',
	'what-is-new',
];
const ownNodes: Record<string, INodeType> = {
	'n8n-nodes-company-registry.companyRegistry': new CompanyRegistry(),
	'n8n-nodes-company-registry.companyRegistryTrigger': new CompanyRegistryTrigger(),
};
const NOTE = 'n8n-nodes-base.stickyNote';
const MAIL = 'n8n-nodes-base.emailSend';
/** Fields and buttons that notes name in bold, beside names of nodes. */
const LABELS = [
	'Always Output Data',
	'Companies From',
	'Execute step',
	'Execute workflow',
	'Numbers or Table',
];
const NOT_PICKED = { company: [{ companyNumber: { __rl: true, mode: 'list', value: '' } }] };
const PICKED = { company: [{ companyNumber: { __rl: true, mode: 'list', value: '99000001' } }] };

/** What a note tells the user to fill in. */
function filledIn({ companyNumbers, companies, recordPath }: INodeParameters): INodeParameters {
	return {
		...(companyNumbers !== undefined && { companyNumbers: '99000001' }),
		...(companies !== undefined && { companies: PICKED }),
		...(recordPath !== undefined && { recordPath: '/v1/records/{company_number}' }),
	};
}

/** All texts in a parameter, however deep. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return value && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** Where the editor draws a note, or a node and its name below. */
function boxesOf({ name, type, position: [left, top], parameters }: INode): Box[] {
	const box = (x: number, y: number, width: number, height: number) => ({
		name,
		left: x,
		top: y,
		right: x + width,
		bottom: y + height,
	});
	if (type === NOTE) return [box(left, top, Number(parameters.width), Number(parameters.height))];
	// Longer names wrap.
	const width = Math.min(8.6 * name.length, 190);
	return [box(left, top, 96, 96), box(left + 48 - width / 2, top + 100, width, 36)];
}

/** Points of the line between two nodes, from the output and to the input of those numbers. */
function lineBetween(from: Box, to: Box, [output, outputs]: number[], [input, inputs]: number[]) {
	const start = { x: from.right, y: from.top + (96 * (output + 1)) / (outputs + 1) };
	const end = { x: to.left, y: to.top + (96 * (input + 1)) / (inputs + 1) };
	const bend = Math.abs(end.x - start.x) / 2;
	return Array.from({ length: 49 }, (_, index) => {
		const t = (index + 1) / 50;
		const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
		return {
			x: a * start.x + b * (start.x + bend) + c * (end.x - bend) + d * end.x,
			y: (a + b) * start.y + (c + d) * end.y,
		};
	});
}

it('are these ten, which the README lists', () => {
	const files = readdirSync(join(root, 'examples')).map((file) => file.replace(/\.json$/, ''));
	expect(files.sort()).toEqual(examples);
	const readme = readFileSync(join(root, 'README.md'), 'utf8');
	const listed = [...readme.matchAll(/\[([\w-]+)\]\(examples\/\1\.json\)/g)].map(
		([, name]) => name,
	);
	expect([...new Set(listed)].sort()).toEqual(examples);
});

it('use each node', () => {
	const used = examples.flatMap((name) => exampleWorkflow(name).nodes.map(({ type }) => type));
	expect(used).toEqual(expect.arrayContaining(Object.keys(ownNodes)));
});

it('have at most 80 lines of script together, each of at most 120 characters', () => {
	const nodes = examples.flatMap((name) => exampleWorkflow(name).nodes);
	const lines = nodes.flatMap(({ parameters: { jsCode } }) =>
		jsCode ? String(jsCode).split('\n') : [],
	);
	expect(lines.length).toBeLessThanOrEqual(80);
	expect(lines.filter(({ length }) => length > 120)).toEqual([]);
});

describe.each(examples)('examples/%s.json', (name) => {
	const workflow = exampleWorkflow(name);
	const ours = workflow.nodes.filter(({ type }) => type in ownNodes);
	const notes = workflow.nodes.filter(({ type }) => type === NOTE);
	const mails = workflow.nodes.filter(({ type }) => type === MAIL);
	const note = String(notes[0].parameters.content);

	it('uses only parameters and values that our nodes have, and lacks only what its note asks for', () => {
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
	it('holds no company, credential, data or webhook id of its author', () => {
		const text = readFileSync(join(root, 'examples', `${name}.json`), 'utf8');
		expect(text).not.toMatch(/"(credentials|pinData|staticData|instanceId)"/);
		expect(workflow.nodes.filter(({ webhookId }) => webhookId !== undefined)).toEqual([]);
		for (const { type, parameters } of ours) {
			if (!type.endsWith('Trigger')) continue;
			expect(parameters).toMatchObject(
				parameters.companiesFrom === 'numbers' ? { companyNumbers: '' } : { companies: NOT_PICKED },
			);
		}
	});

	it('sends plain mails, names no address, and adds no line of n8n below', () => {
		const fields = { emailFormat: 'text', options: { appendAttribution: false } };
		expect(mails.map(({ parameters }) => parameters)).toMatchObject(mails.map(() => fields));
		const addresses = mails.flatMap(({ parameters: { fromEmail, toEmail } }) => [
			fromEmail,
			toEmail,
		]);
		expect(addresses.filter((address) => String(address).includes('@'))).toEqual([]);
		expect(workflow.settings).toMatchObject({ timezone: 'Europe/London' });
	});

	it('connects all its nodes', () => {
		const names = workflow.nodes.filter(({ type }) => type !== NOTE).map((node) => node.name);
		const sources = Object.keys(workflow.connections);
		const targets = Object.values(workflow.connections)
			.flatMap((outputs) => Object.values(outputs).flat(2))
			.map((connection) => connection?.node);
		expect(new Set([...sources, ...targets])).toEqual(new Set(names));
	});

	it('has one note, with numbered steps and at most 120 words, that names only nodes and fields which exist', () => {
		expect(notes).toHaveLength(1);
		expect(note).toMatch(/^## .+\n1\. .+\n2\. /);
		expect(note.split(/\s+/).length).toBeLessThanOrEqual(120);
		const bold = [...note.matchAll(/\*\*(.+?)\*\*/g)].map(([, words]) => words);
		const known = [...workflow.nodes.map((node) => node.name), ...LABELS];
		expect(bold.filter((words) => !words.endsWith('?') && !known.includes(words))).toEqual([]);
		if (mails.length > 0) expect(note).toMatch(/mails? real addresses/);
	});

	it('has no expression of more than 200 characters', () => {
		const texts = workflow.nodes.flatMap(({ parameters }) => textsIn(parameters));
		expect(texts.filter((text) => text.startsWith('=') && text.length > 200)).toEqual([]);
	});

	it('draws no node or line over another node', () => {
		const boxes = workflow.nodes.flatMap(boxesOf);
		const touches = (one: Box, other: Box) =>
			one.left < other.right &&
			other.left < one.right &&
			one.top < other.bottom &&
			other.top < one.bottom;
		for (const box of boxes) expect(boxes.filter((one) => touches(box, one))).toEqual([box]);

		const boxNamed = (wanted: string) => boxes.find((box) => box.name === wanted)!;
		const inputsOf = (target: string) =>
			workflow.nodes.find((node) => node.name === target)?.type.endsWith('.merge') ? 2 : 1;
		for (const [source, { main }] of Object.entries(workflow.connections)) {
			main.forEach((targets, output) => {
				for (const { node: target, index } of targets ?? []) {
					const [from, to] = [boxNamed(source), boxNamed(target)];
					// A loop's way back runs below its nodes.
					if (to.left < from.right) continue;
					const line = lineBetween(from, to, [output, main.length], [index, inputsOf(target)]);
					const crossed = boxes
						.filter((box) => box.name !== source && box.name !== target)
						.filter((box) =>
							line.some(
								({ x, y }) => x > box.left && x < box.right && y > box.top && y < box.bottom,
							),
						);
					expect({ source, target, crossed }).toEqual({ source, target, crossed: [] });
				}
			});
		}
	});
});
