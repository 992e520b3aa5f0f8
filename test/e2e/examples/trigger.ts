// The examples that begin with the registry trigger or mail its failures, with a mail server.
import { errorOf } from '../../n8n-host/execution';
import {
	choice,
	deliverTo,
	importExample,
	jsonOf,
	mailServer,
	picked,
	publishExample,
	surroundings,
	type ImportedExample,
} from './importedExample';

const STORES = '99000001';
/** As the trigger's list shows it. */
const LABEL = 'TESSELLATE STORES PLC · 99000001 · active';
const TRIGGER = 'Company Registry Trigger';

describe('watch-portfolio', () => {
	const pasted = [
		'Client code\tCompany name\tCompany number\temail',
		`1001\tTessellate Stores plc\t${STORES}\tJD <jd@example.com>`,
		'1002\tÉtoile & Söhne Ltd\t445790\t',
	].join('\n');
	let example: ImportedExample;

	beforeAll(async () => {
		const filledIn = {
			[TRIGGER]: { companyNumbers: pasted },
			'Send to List Addresses': choice('send to the addresses in my list'),
		};
		const { smtp } = mailServer;
		example = await publishExample('watch-portfolio', { smtp, filledIn });
	});

	it('mails each event to the address in its row, or else to the office, once the user chooses it', async () => {
		expect(await mailServer.next(1, 0)).toMatchObject([
			{ subject: '2 companies are watched', to: ['team@example.com'], html: '' },
		]);

		const known = mailServer.mails.length;
		const filing = { type: 'filing.new', data: { description: 'Confirmation statement' } };
		jsonOf(await deliverTo(example, STORES, { payload: filing }), 'Send Email');
		const officer = { type: 'officer.appointed', name: 'Ó Néill' };
		jsonOf(await deliverTo(example, '00445790', { payload: officer }), 'Send Email');
		const [toRow, toTeam, ...others] = mailServer.mails.slice(known);
		expect(others).toEqual([]);
		expect(toRow).toMatchObject({
			subject: 'New Filing: Tessellate Stores plc',
			from: 'n8n@example.com',
			to: ['jd@example.com'],
			html: '',
		});
		for (const text of [STORES, 'Client code', '1001', 'Confirmation statement'])
			expect(toRow.text).toContain(text);
		expect(toTeam).toMatchObject({
			subject: 'Officer Appointed: Étoile & Söhne Ltd',
			to: ['team@example.com'],
		});
		expect(toTeam.text).toContain('Ó Néill');
	});
});

describe('mail-when-something-fails', () => {
	const WATCHER = 'Watch a client list';
	let errorWorkflow: string;
	const linesOf = ({ text }: { text: string }) => text.replace(/\r/g, '').trim().split(/\n+/);

	beforeAll(async () => {
		const { smtp } = mailServer;
		const { workflow } = await importExample('mail-when-something-fails', { smtp });
		await surroundings.client.waitUntilPublished(workflow.id);
		errorWorkflow = workflow.id;
	});

	it('mails a problem of the trigger, and a failed node with the advice to retry the run', async () => {
		const { simulator, ca } = surroundings;
		const filledIn = {
			[TRIGGER]: { companyNumbers: STORES, events: ['filing.new'] },
			'Email Office': { toEmail: '={{ undefined }}' },
		};
		const { smtp } = mailServer;
		const choices = { smtp, filledIn, settings: { errorWorkflow } };
		const example = await publishExample('watch-portfolio', choices);

		const refused = mailServer.next();
		await simulator.deliver(example.webhooks()[0].id, { ca, secret: 'whsec_of-another-service' });
		const [report] = await refused;
		expect(report.subject).toMatch(RegExp(`^${WATCHER}: .+`));
		expect(linesOf(report).slice(-2)).toEqual([`Workflow: ${WATCHER}`, `Node: ${TRIGGER}`]);
		expect(report.text).toMatch(/signature/);
		expect(report.text).not.toMatch(/retry this run/);

		const failed = mailServer.next();
		const { id } = await deliverTo(example, STORES, { event: 'filing.new' });
		const [mail] = await failed;
		expect(mail.subject).toBe(`${WATCHER}: No recipients defined`);
		expect(linesOf(mail)).toEqual([
			'No recipients defined',
			`Workflow: ${WATCHER}`,
			'Node: Email Office',
			'Correct the cause, then retry this run, so that nothing is lost:',
			expect.stringMatching(
				RegExp(`^https://.+/workflow/${example.workflow.id}/executions/${id}$`),
			),
		]);
	});

	it('mails a trigger that n8n had to stop, and an error without a node or in several lines', async () => {
		const { client } = surroundings;
		const workflow = { id: '1', name: WATCHER };
		const url = 'https://n8n.example.com/workflow/1/executions/7';
		const execution = { id: '7', url, lastNodeExecuted: 'Node' };
		const pinned = [
			{ trigger: { error: { message: 'Stopped' }, mode: 'trigger' }, workflow },
			{ execution: { ...execution, error: { message: 'One line\nand another' } }, workflow },
		];
		const pinData = { 'Error Trigger': pinned.map((json) => ({ json })) };
		await client.updateWorkflow(errorWorkflow, { pinData });
		const known = mailServer.mails.length;

		expect(errorOf(await client.runToEnd(errorWorkflow, 'Error Trigger'))).toBeUndefined();
		const mails = mailServer.mails.slice(known);
		expect(mails.map((mail) => [mail.subject, linesOf(mail).at(-1)])).toEqual([
			[`${WATCHER}: Stopped`, 'Publish the workflow again. Until then it does not run.'],
			[`${WATCHER}: One line`, url],
		]);
	});
});

describe('review-new-officer-or-psc', () => {
	/** The service fails to look it up. */
	const NOT_FOUND = '99487520';
	let example: ImportedExample;

	beforeAll(async () => {
		const companies = { [STORES]: LABEL, '99213344': '', [NOT_FOUND]: '' };
		const filledIn = { [TRIGGER]: picked(companies) };
		const paths = { officersPath: '/v1/officers/{company_number}' };
		const choices = { filledIn, paths };
		example = await publishExample('review-new-officer-or-psc', choices);
		const data = [{ name: 'DOE, Jo', address: { town: 'Leeds' } }, { name: 'ROE, Al' }];
		const action = { status: 200, body: { data } };
		surroundings.simulator.fault({ path: /officers/, times: Infinity, action });
	});

	afterAll(() => surroundings.simulator.clearFaults());

	it.each([
		[
			'officer.appointed',
			STORES,
			'New Officer',
			'Check the new officer: Officer Appointed: TESSELLATE STORES PLC',
		],
		[
			'psc.added',
			STORES,
			'New PSC',
			'Check who now controls the company: PSC Added: TESSELLATE STORES PLC',
		],
		[
			'officer.appointed',
			'99213344',
			'Needs a Closer Look',
			"Check Officer Appointed: 99213344: the company's status is liquidation",
		],
		[
			'psc.added',
			NOT_FOUND,
			'New PSC',
			`Check who now controls the company: PSC Added: ${NOT_FOUND}`,
		],
	])('sends %s of company %s to %s', async (event, company, name, task) => {
		const { simulator } = surroundings;
		const when = ({ query }: { query: Record<string, string> }) => query.q === NOT_FOUND;
		simulator.fault({ path: /search/, when, times: Infinity, action: { status: 500, body: {} } });
		const execution = await deliverTo(example, company, { event });
		const taken = ['New Officer', 'New PSC', 'Needs a Closer Look'].flatMap((node) =>
			jsonOf(execution, node).map((json) => [node, json.event, json.task]),
		);
		expect(taken).toEqual([[name, event, task]]);

		if (name === 'Needs a Closer Look') return;
		const [{ task: same, text }] = jsonOf(execution, 'Add Register');
		const register =
			event === 'psc.added'
				? 'The register could not be read: The path of PSCs is not set'
				: 'The register says now:\n- name: "DOE, Jo"\n  address: {"town":"Leeds"}\n- name: "ROE, Al"';
		expect([same, text]).toEqual([task, expect.stringContaining(register)]);
	});
});
