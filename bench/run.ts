// Measures and reports. `npm run bench` is the way to run it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { measureBulkActions } from './bulkActions';
import { measureDeliveries } from './deliveries';
import { measureExpressionEngine } from './expressionEngine';
import { page } from './lib/page';
import { table, type Figure } from './lib/report';
import { measureItems } from './items';
import { measureLists } from './lists';
import { measureManyWorkflows } from './manyWorkflows';
import { measurePublishing } from './publishing';
import { measureVerifier } from './verifier';

const isQuick = process.argv.includes('--quick');
const only = process.argv
	.find((argument) => argument.startsWith('--only='))
	?.slice('--only='.length);

/** In the order of the report. */
const parts: Record<string, () => Promise<Figure[]>> = {
	verifier: async () =>
		await measureVerifier(isQuick ? { rounds: 5, count: 5_000 } : { rounds: 31, count: 10_000 }),
	lists: async () => await measureLists({ rounds: isQuick ? 3 : 31 }),
	items: async () => await measureItems({ rounds: isQuick ? 3 : 31 }),
	deliveries: async () =>
		await measureDeliveries(isQuick ? { rounds: 2, count: 60 } : { rounds: 4, count: 100 }),
	manyWorkflows: async () =>
		await measureManyWorkflows(
			isQuick
				? { rounds: 1, workflows: 3, companies: 100, count: 40 }
				: { rounds: 4, workflows: 25, companies: 2000, count: 100 },
		),
	expressionEngine: async () =>
		await measureExpressionEngine(
			isQuick
				? { rounds: 1, companies: 100, count: 40 }
				: { rounds: 2, companies: 2000, count: 120 },
		),
	publishing: async () =>
		await measurePublishing(
			isQuick ? { rounds: 1, companies: 300 } : { rounds: 3, companies: 2000 },
		),
	bulkActions: async () =>
		await measureBulkActions(isQuick ? { rounds: 1, items: 100 } : { rounds: 3, items: 1000 }),
};

async function main(): Promise<number> {
	const chosen = Object.entries(parts).filter(([name]) => only === undefined || name === only);
	if (chosen.length === 0)
		throw new Error(`There is no part "${only}": ${Object.keys(parts).join(', ')}`);
	const figures: Figure[] = [];
	for (const [name, measure] of chosen) {
		console.log(`Measuring ${name} …`);
		const measured = await measure();
		// At once: a later part may fail, and all of them take long.
		console.log(`${table(measured)}\n`);
		figures.push(...measured);
	}
	if (!isQuick && only === undefined) {
		const file = join(__dirname, 'RESULTS.md');
		writeFileSync(file, page(figures));
		console.log(`Written to ${file}`);
	}
	return figures.every(({ isMet }) => isMet === true) ? 0 : 1;
}

main().then(
	(status) => process.exit(status),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
