// A list that shows what was true a moment ago.
import { startSimulator, type Simulator } from '../../simulator';
import { watch, watching } from '../../support/savedWorkflow';
import { settled } from '../../support/settled';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => await simulator.close());

/** From now on the list stays as it is. */
function freezeList(): void {
	const data = simulator.webhooks().map(({ id, company_number, events, is_active }) => ({
		id,
		company_number,
		events,
		is_active,
	}));
	simulator.fault({ method: 'GET', times: Infinity, action: { status: 200, body: { data } } });
}
const active = () =>
	simulator
		.webhooks()
		.filter(({ is_active }) => is_active)
		.map(({ company_number }) => company_number);

it('published again while the list still shows it active, a webhook is resumed', async () => {
	const workflow = watch(simulator, ['00445790']);
	await workflow.publish();
	freezeList();
	await workflow.unpublish();
	expect(active()).toEqual([]);
	await workflow.publish();
	expect(active()).toEqual(['00445790']);
});

it('taken out again while the list still shows it paused, a webhook is paused', async () => {
	const workflow = watch(simulator, ['00445790', 'SC123456']);
	await workflow.publish();
	await workflow.change({ parameters: watching(['00445790']) });
	await settled(workflow.load());
	expect(active()).toEqual(['00445790']);
	freezeList();
	await workflow.change({ parameters: watching(['00445790', 'SC123456']) });
	expect(active()).toEqual(['00445790', 'SC123456']);
	await workflow.change({ parameters: watching(['00445790']) });
	await settled(workflow.load());
	expect(active()).toEqual(['00445790']);
});
