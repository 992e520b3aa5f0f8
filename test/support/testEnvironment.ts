// Where jest runs each test file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import type { Circus } from '@jest/types';
import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';

import type { Witness } from './witnesses';

const failuresFolder = resolve(__dirname, '../../.cache/failures');
const LAST_LINES = 40;

// jest gives a worker half a second to end, and clearing its memory away takes longer.
process.once('beforeExit', () => process.exit());

export default class TestEnvironment extends NodeEnvironment {
	private readonly testFile: string;

	/** What has been running since the first test of the file, and how much of its log is of tests before. */
	private readonly witnesses = new Map<Witness, number>();

	constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
		super(config, context);
		this.testFile = basename(context.testPath, '.test.ts');
	}

	async setup(): Promise<void> {
		await super.setup();
		this.global.witnesses = this.witnesses;
	}

	async handleTestEvent(event: Circus.AsyncEvent): Promise<void> {
		if (event.name !== 'test_done') return;
		const { test } = event;
		if (test.errors.length > 0) await this.report(titleOf(test));
		for (const witness of this.witnesses.keys()) {
			this.witnesses.set(witness, witness.log?.().length ?? 0);
		}
	}

	/** Shows the end of each log, and keeps the part of this test and what was to be seen. */
	private async report(title: string): Promise<void> {
		const place = join(
			failuresFolder,
			`${this.testFile}-${title}`.replace(/\W+/g, '-').slice(0, 120),
		);
		mkdirSync(failuresFolder, { recursive: true });
		for (const [witness, before] of this.witnesses) {
			await witness.picture?.(`${place}.png`).catch(() => undefined);
			const log = witness.log?.().slice(before);
			if (!log) continue;
			writeFileSync(`${place}.log`, log, { flag: 'a' });
			const end = log.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
			this.global.console.log(`Log of ${witness.name} during "${title}":\n${end}`);
		}
	}
}

function titleOf({ name, parent }: Pick<Circus.TestEntry, 'name' | 'parent'>): string {
	const names: string[] = [];
	for (let block: Circus.DescribeBlock | undefined = parent; block?.parent; block = block.parent) {
		names.unshift(block.name);
	}
	return [...names, name].join(' ');
}
