// What is known of a webhook when something else is wanted than before.
import { Store } from '../../../nodes/CompanyRegistry/trigger/memory/store';

const EVENTS = ['filing.new', 'psc.added'];
const URL_OF_TRIGGER = 'https://n8n.example.com/webhook/1/webhook';
const ELSEWHERE = 'https://n8n.example.com/webhook/2/webhook';

it.each([
	['the same, in another order', { events: [...EVENTS].reverse() }, 'watched', 1, 1],
	['other events', { events: ['filing.new'] }, 'active', 0, 1],
	['another destination', { url: ELSEWHERE }, 'unknown', 0, 0],
	['another company', { companies: ['2'] }, 'watched', 1, 0],
])('where %s is wanted', (_what, changes, status, confirmed, active) => {
	const before = { companies: ['1'], events: EVENTS, url: URL_OF_TRIGGER };
	const wanted = { ...before, ...changes };
	const store = new Store();
	store.adopt(before);
	store.use({ account: 'a', address: 'https://n8n.example.com/webhook', subscriptions: new Map() });
	store.keep({ reference: 'r', company: '1', id: 'a', secret: 's', status: 'watched' });
	// Nothing is taken for confirmed before the service has been asked, nor when it has not.
	for (const adopts of [false, true]) {
		if (adopts) store.adopt(wanted);
		expect(store.confirmed(wanted).size).toBe(confirmed);
		expect(store.countActive(wanted.companies, wanted.url)).toBe(active);
	}
	expect(store.find('r')?.status).toBe(status);
});
