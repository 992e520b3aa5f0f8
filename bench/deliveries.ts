import { sendDeliveries, type Target } from './lib/deliveries';
import { startBenchN8n } from './lib/n8n';
import { publishBoth, publishGithub, publishRegistry, publishTables } from './lib/published';
import { atLeast, type Figure } from './lib/report';
import { compare, type Comparison, type Measure } from './lib/rounds';

const COMPANIES = [1, 100];
const MANY = [2000, 10_000];
/** Of a table with five columns. */
const TABLE = 2000;
/** Up to so many companies a delivery takes no longer than n8n's own trigger. */
const NO_SLOWER = 2000;
const WRONG_SECRET = 'not-the-secret';

/**
 * Deliveries per second through a real n8n: our trigger with more and more companies and n8n's own
 * GitHub Trigger, which verifies an HMAC over the body too, in turn in the same process. n8n reads the
 * whole workflow for each delivery, so with many companies also against a GitHub Trigger in that workflow.
 */
export async function measureDeliveries({
	rounds,
	count,
}: {
	rounds: number;
	count: number;
}): Promise<Figure[]> {
	const n8n = await startBenchN8n();
	try {
		const github = await publishGithub(n8n);
		const registry: Array<[number, Target[]]> = [];
		for (const companies of COMPANIES)
			registry.push([companies, await publishRegistry(n8n, companies)]);
		const both: Array<[number, { registry: Target[]; github: Target[] }]> = [];
		for (const companies of MANY) {
			const published = await publishBoth(n8n, companies);
			both.push([companies, published]);
			registry.push([companies, published.registry]);
		}

		const tables = await publishTables(n8n, TABLE);

		const accept = (targets: Target[]) => async () => {
			const seconds = await sendDeliveries(targets, count, 200);
			await n8n.untilIdle();
			return count / seconds;
		};
		const refuse = (targets: Target[]) => async () => {
			const forged = targets.map(({ url }) => ({ url, secret: WRONG_SECRET }));
			return count / (await sendDeliveries(forged, count, 401));
		};
		const forEach = (measure: (targets: Target[]) => Measure) =>
			Object.fromEntries(registry.map(([companies, targets]) => [companies, measure(targets)]));
		const accepted = await compare(rounds, accept(github), forEach(accept));
		const refused = await compare(rounds, refuse(github), forEach(refuse));

		const figures = registry.flatMap(([companies]) => [
			figure(
				`accepted deliveries/s, watching ${companies}`,
				accepted[companies],
				companies <= NO_SLOWER ? 1 : 0.95,
			),
			figure(`forged deliveries refused/s, watching ${companies}`, refused[companies], 0.95),
		]);
		const beside = 'GitHub Trigger in the same workflow';
		for (const [companies, many] of both) {
			const { ours } = await compare(rounds, accept(many.github), { ours: accept(many.registry) });
			const what = `accepted deliveries/s, watching ${companies}`;
			figures.push(figure(what, ours, 0.95, beside));
		}
		const { ours } = await compare(rounds, accept(tables.pasted), {
			ours: accept(tables.followed),
		});
		const what = `accepted deliveries/s, following a table of ${TABLE}`;
		figures.push(figure(what, ours, 0.98, 'the same table pasted'));
		return figures;
	} finally {
		await n8n.stop();
	}
}

function figure(
	what: string,
	{ ours, peer, ratio }: Comparison,
	target: number,
	name = 'GitHub Trigger',
): Figure {
	return {
		what,
		ours: ours.toFixed(1),
		peer: `${peer.toFixed(1)} (${name})`,
		...atLeast(target, ratio),
	};
}
