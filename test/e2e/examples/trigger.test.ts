// The examples that begin with the registry trigger or mail its failures, with a mail server.
import { waitFor } from '../../n8n-host/waitFor';
import { useSurroundings } from '../surroundings';
import {
	deliverTo,
	importExample,
	jsonOf,
	picked,
	publishExample,
	useMailServer,
	type ImportedExample,
} from './importedExample';

const STORES = '99000001';
/** As the trigger's list shows it. */
const LABEL = 'TESSELLATE STORES PLC · 99000001 · active';
const TRIGGER = 'Company Registry Trigger';

const surroundings = useSurroundings();
const mailServer = useMailServer(surroundings);

describe('watch-portfolio', () => {
	it('mails events to the address in their row, or else to the team, and Watch Report to the team', async () => {
		const { smtp } = mailServer;
		const pasted = [
			'Client code\tCompany name\tCompany number\tEmail',
			`1001\tTessellate Stores plc\t${STORES}\tjd@example.com`,
			'1002\tÉtoile & Söhne Ltd\t445790\t',
		].join('\n');
		const filledIn = { [TRIGGER]: { companyNumbers: pasted } };
		const first = mailServer.next();
		const example = await publishExample(surroundings, 'watch-portfolio', { smtp, filledIn });
		const [status] = await first;
		expect(status).toMatchObject({
			subject: 'Watch report: 2 of 2 companies are watched',
			from: 'n8n@example.com',
			to: ['team@example.com'],
			html: '',
		});

		const known = mailServer.mails.length;
		const filing = { type: 'filing.new', data: { description: 'Confirmation statement' } };
		jsonOf(await deliverTo(surroundings, example, STORES, { payload: filing }), 'Email Event');
		const officer = { type: 'officer.appointed', name: 'Ó Néill' };
		jsonOf(await deliverTo(surroundings, example, '00445790', { payload: officer }), 'Email Event');
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

	it('tries again while the mail server refuses one of two mails', async () => {
		const { client } = surroundings;
		const { smtp, mails } = mailServer;
		const { workflow } = await importExample(surroundings, 'watch-portfolio', { smtp });
		const event = { event: 'filing.new', list_columns: null, text: 'Filed' };
		const pinned = ['First', 'Second'].map((subject) => ({ json: { ...event, subject } }));
		await client.updateWorkflow(workflow.id, { pinData: { [TRIGGER]: pinned } });
		const known = mails.length;
		mailServer.refuse('Second');
		const run = client.runToEnd(workflow.id, TRIGGER);
		await waitFor('a refusal', () => mailServer.refused.length > 0);
		mailServer.accept();

		jsonOf(await run, TRIGGER);
		const sent = mails.slice(known).map(({ subject }) => subject);
		expect(sent).toEqual(['First', 'First', 'Second']);
	});
});

it('mail-when-something-fails mails a refused delivery and a failed step, with cause and next step', async () => {
	const { client, simulator, ca } = surroundings;
	const { smtp } = mailServer;
	const { workflow } = await importExample(surroundings, 'mail-when-something-fails', { smtp });
	await client.waitUntilPublished(workflow.id);
	const filledIn = {
		[TRIGGER]: { companyNumbers: STORES, events: ['filing.new'] },
		'Email Event': { toEmail: '={{ $json.missing }}' },
	};
	const choices = { smtp, filledIn, settings: { errorWorkflow: workflow.id } };
	const example = await publishExample(surroundings, 'watch-portfolio', choices);

	const refused = mailServer.next();
	await simulator.deliver(example.webhooks()[0].id, { ca, secret: 'whsec_of-another-service' });
	const [report] = await refused;
	expect(report.subject).toBe(`Watch a portfolio from a spreadsheet: ${TRIGGER} failed`);
	expect(report.text).toMatch(/signature/);

	const failed = mailServer.next();
	const { id } = await deliverTo(surroundings, example, STORES, { event: 'filing.new' });
	const [{ subject, text }] = await failed;
	expect(subject).toBe('Watch a portfolio from a spreadsheet: Email Event failed');
	expect(text.replace(/\r/g, '').trim().split(/\n+/)).toEqual([
		'Workflow: Watch a portfolio from a spreadsheet',
		'Step: Email Event',
		'No recipients defined',
		'If a step after the trigger failed, retry this run, so that its event is not lost:',
		expect.stringMatching(RegExp(`^https://.+/workflow/${example.workflow.id}/executions/${id}$`)),
	]);
});

describe('review-new-officer-or-psc', () => {
	/** The service fails to look it up. */
	const NOT_FOUND = '99487520';
	let example: ImportedExample;

	beforeAll(async () => {
		const companies = { [STORES]: LABEL, '99213344': '', [NOT_FOUND]: '' };
		const filledIn = { [TRIGGER]: picked(companies) };
		example = await publishExample(surroundings, 'review-new-officer-or-psc', { filledIn });
	});

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
		const execution = await deliverTo(surroundings, example, company, { event });
		simulator.clearFaults();
		const taken = ['New Officer', 'New PSC', 'Needs a Closer Look'].flatMap((node) =>
			jsonOf(execution, node).map((json) => [node, json.event, json.task]),
		);
		expect(taken).toEqual([[name, event, task]]);
	});
});
