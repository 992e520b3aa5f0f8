// What grows with the number of companies that one workflow watches; backs docs/self-hosting.md.
// Run with: npx tsx bench/scaling.ts
import { CONCURRENT_REQUESTS } from '../nodes/CompanyRegistry/registry/registry';
import { median } from './lib/rounds';
import { find, knownWebhooks, loaded, storedText } from './lib/state';
import { companyNumbers } from './lib/workflows';

const COMPANIES = [1, 100, 1000, 2000, 5000, 10_000, 100_000];
const ROUNDS = 15;
/** After so many seconds a publish stops, because n8n 2.40 gives up soon after: see waits.ts. */
const PUBLISH_SECONDS = 62;

console.log(
	'| Companies | Static data | Numbers as parameter | CPU per delivery | Publish at 50 ms | at 200 ms |',
);
console.log('| --- | --- | --- | --- | --- | --- |');
for (const companies of COMPANIES) {
	const webhooks = knownWebhooks(companies);
	const stored = storedText(webhooks);
	const [{ reference }] = webhooks;
	const perDelivery = median(
		Array.from({ length: ROUNDS }, () => cpuMilliseconds(() => lookUp(stored, reference))),
	);
	const cells = [
		companies.toLocaleString('en'),
		kilobytes(stored.length),
		kilobytes(companyNumbers(companies).join('\n').length),
		`${perDelivery.toFixed(2)} ms`,
		...[50, 200].map((latency) => publishTime(companies, latency)),
	];
	console.log(`| ${cells.join(' | ')} |`);
}

/** What n8n and the trigger do with the static data of the workflow for each delivery. */
function lookUp(stored: string, reference: string): void {
	if (!find(loaded(stored), reference)) throw new Error('Not found');
}

/** Without the time that other processes of a busy machine take. */
function cpuMilliseconds(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

/**
 * One request for each company, so many at a time, each as long as the service takes. Each publish
 * continues where the one before had to stop.
 */
function publishTime(companies: number, latencyMs: number): string {
	const seconds = (Math.ceil(companies / CONCURRENT_REQUESTS) * latencyMs) / 1000;
	const publishes = Math.ceil(seconds / PUBLISH_SECONDS);
	const time = `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
	return publishes > 1 ? `${time} in ${publishes} publishes` : time;
}

function kilobytes(bytes: number): string {
	return bytes < 100_000 ? `${(bytes / 1000).toFixed(1)} KB` : `${Math.round(bytes / 1000)} KB`;
}
