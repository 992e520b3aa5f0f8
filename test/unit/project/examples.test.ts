// The workflows in examples/ explain themselves and hold nothing private. test/e2e/examples runs each.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { exampleWorkflow } from '../../n8n-host/exampleWorkflows';
import type { WorkflowFile } from '../../n8n-host/n8nTypes';

const root = join(__dirname, '../../..');
const examples = readdirSync(join(root, 'examples')).map((file) => file.replace(/\.json$/, ''));
const TRIGGER = 'n8n-nodes-company-registry.companyRegistryTrigger';
const NOTE = 'n8n-nodes-base.stickyNote';
const MAIL = 'n8n-nodes-base.emailSend';
/** Fields and buttons that notes name in bold, beside names of nodes. */
const LABELS = ['Company Source', 'Execute step', 'Execute workflow', 'Numbers or Table'];
const NOT_PICKED = { company: [{ companyNumber: { __rl: true, mode: 'list', value: '' } }] };

/** What decides on a mail that was not sent, without ids and the number of tries, which are those of a day or less. */
const checkOf = ({ nodes }: WorkflowFile) =>
	JSON.stringify(nodes.find(({ name }) => name === 'Check Result')?.parameters)
		.replace(/"id":"[^"]*"/g, '')
		.replace(/"rightValue":(?:88|96)\b/, '');

it('are all in the README, each under the name that n8n shows', () => {
	const readme = readFileSync(join(root, 'README.md'), 'utf8');
	for (const name of examples) {
		expect(readme).toContain(`[${exampleWorkflow(name).name}](examples/${name}.json)`);
	}
});

describe.each(examples)('examples/%s.json', (name) => {
	const workflow = exampleWorkflow(name);
	const notes = workflow.nodes.filter(({ type }) => type === NOTE);
	const mails = workflow.nodes.filter(({ type }) => type === MAIL);
	const [note] = notes.map(({ parameters }) => String(parameters.content));

	// n8n keeps the webhook path of a file, and refuses to publish a second workflow with it.
	it('holds no company, credential, data or webhook id of its author', () => {
		const text = readFileSync(join(root, 'examples', `${name}.json`), 'utf8');
		expect(text).not.toMatch(/"(credentials|pinData|staticData|instanceId)"/);
		expect(workflow.nodes.filter(({ webhookId }) => webhookId !== undefined)).toEqual([]);
		for (const { type, parameters } of workflow.nodes) {
			if (type !== TRIGGER) continue;
			expect(parameters).toMatchObject(
				parameters.companiesFrom === 'numbers' ? { companyNumbers: '' } : { companies: NOT_PICKED },
			);
		}
	});

	it('has the version of the trigger that the editor adds', () => {
		const { version } = new CompanyRegistryTrigger().description;
		const triggers = workflow.nodes.filter(({ type }) => type === TRIGGER);
		expect(triggers.map(({ typeVersion }) => typeVersion)).toEqual(triggers.map(() => version));
	});

	it('sends plain mails, names no address, and adds no line of n8n below', () => {
		const fields = { emailFormat: 'text', options: { appendAttribution: false } };
		expect(mails.map(({ parameters }) => parameters)).toMatchObject(mails.map(() => fields));
		for (const { parameters } of mails)
			expect(`${parameters.fromEmail} ${parameters.toEmail}`).not.toContain('@');
		expect(workflow.settings).toMatchObject({ timezone: 'Europe/London' });
	});

	it('connects all its nodes', () => {
		const connected = JSON.stringify(workflow.connections);
		const names = workflow.nodes.filter(({ type }) => type !== NOTE).map((node) => node.name);
		expect(names.filter((one) => !connected.includes(`"${one}"`))).toEqual([]);
	});

	it('has one note with numbered steps, which names only nodes and fields that exist', () => {
		expect(notes).toHaveLength(1);
		expect(note).toMatch(/^## .+\n(.+\n)?1\. .+\n2\. /);
		const bold = [...note.matchAll(/\*\*(.+?)\*\*/g)].map(([, words]) => words);
		const known = [...workflow.nodes.map((node) => node.name), ...LABELS];
		expect(bold.filter((words) => !known.includes(words))).toEqual([]);
		if (mails.length > 0) expect(note).toMatch(/sends? real emails/);
	});

	// test/e2e/examples/mails.test.ts shows that this loses no mail.
	it('sends again what could not be sent, after a wait that survives a restart of n8n', () => {
		if (mails.length === 0) return;
		const targets = (from: string) =>
			(workflow.connections[from]?.main ?? []).map((output) => output?.map(({ node }) => node));
		const [retried, ...final] = mails.map((node) => node.name);
		const wait = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.wait');
		expect(wait?.parameters).toEqual({ resume: 'timeInterval', amount: 15, unit: 'minutes' });
		expect(mails[0]).toMatchObject({ onError: 'continueRegularOutput' });
		expect(targets(retried)).toEqual([['Check Result']]);
		expect(targets('Check Result').slice(1)).toEqual([
			[wait?.name],
			final.length > 0 ? final : ['Stop and Error'],
		]);
		expect(targets(String(wait?.name))).toEqual([[retried]]);
		expect(checkOf(workflow)).toEqual(checkOf(exampleWorkflow('watch-portfolio')));
		for (const { retryOnFail } of mails) expect(retryOnFail).toBeUndefined();
	});

	// See docs/self-hosting.md.
	it('uses nothing that n8n 3 removes or n8n has hidden', () => {
		expect(JSON.stringify(workflow.nodes)).not.toMatch(
			/base\.(function|functionItem|itemLists|spreadsheetFile)"|\$getPairedItem|\$evaluateExpression/,
		);
		const changed = workflow.nodes.filter(
			({ type, typeVersion, alwaysOutputData }) =>
				(type.endsWith('langchain.agent') && typeVersion < 2) ||
				// These put out an empty item in other cases than before.
				(/base\.(if|switch)$/.test(type) && alwaysOutputData),
		);
		expect(changed).toEqual([]);
	});
});
