import { zip } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { Service } from './atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from './savedWorkflow';
import { MINUTE, setTimes } from './times';

/** The clients of an office. */
export const COMPANIES = companyNumbers(58);

export function nameOf(company: string): string {
	return `Client ${company}`;
}

/** A trigger with this table of clients, and *Watch Report*. */
export function table(companies: string[], names = companies.map(nameOf)): INodeParameters {
	const rows = [['Company number', 'Client'], ...zip(companies, names)];
	return watching(
		rows.map((row) => row.join('\t')),
		{ events: ['filing.new', 'watch.report'] },
	);
}

/** A workflow that watches all of them, and has reported that. */
export async function watchClients(simulator: Service): Promise<SavedWorkflow> {
	setTimes({ beforeReport: 10 * MINUTE });
	const workflow = watch(simulator, [], { parameters: table(COMPANIES) });
	await workflow.publish();
	await workflow.later();
	workflow.executions.splice(0);
	return workflow;
}
