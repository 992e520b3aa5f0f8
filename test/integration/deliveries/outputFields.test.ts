// The fields that n8n is told of before the trigger's first run are those of a delivery.
import { startPublishedTrigger, type PublishedTrigger } from '../../support/publishedTrigger';
import { triggerOutputSchema } from '../../support/outputSchemas';

let trigger: PublishedTrigger;

beforeAll(async () => {
	trigger = await startPublishedTrigger('00445790');
});
afterAll(async () => await trigger.close());

it.each([
	['with the name of its event', { event: 'filing.new', any: { thing: 1 } }],
	['without one', { any: 'thing' }],
])('a delivery %s has them, and no others', async (_name, payload) => {
	const executions = trigger.serve();
	await trigger.deliver({ payload });
	const [[{ json }]] = executions;
	expect(triggerOutputSchema.parse(json)).toEqual(json);
	expect(Object.keys(json)).toEqual(Object.keys(triggerOutputSchema.shape));
});
