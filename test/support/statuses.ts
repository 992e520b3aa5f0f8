// The state of a trigger after a pass, as reports are made of it.
import { RegistryFailure } from '../../nodes/CompanyRegistry/registry/failure';
import { emptyDesired } from '../../nodes/CompanyRegistry/trigger/lifecycle/configuration';
import { noReading } from '../../nodes/CompanyRegistry/trigger/records/desired';
import type { Status } from '../../nodes/CompanyRegistry/trigger/reports/status';
import { companyNumbers } from './savedWorkflow';

/** 25 November 2026, 06:00 in London. */
export const NOW = Date.UTC(2026, 10, 25, 6, 0);
/** So many minutes after five o'clock of that day. */
export const minutes = (count: number) => Date.UTC(2026, 10, 25, 5, count);
export const COMPANIES = companyNumbers(58);

/** All companies are watched, and nothing has happened, but for what is given. */
export function statusWith(changes: Partial<Status> = {}): Status {
	const { unwatched = [] } = changes;
	return {
		desired: { ...emptyDesired('https://n8n.example.com/webhook'), companies: COMPANIES },
		reading: noReading({ names: new Map([[COMPANIES[0], 'Acme Ltd']]) }),
		isFinished: true,
		isFirst: false,
		watched: COMPANIES.filter((company) => !unwatched.includes(company)),
		unwatched,
		existing: [],
		refused: new Map(),
		unsetEvents: {},
		added: [],
		removed: [],
		gaps: [],
		changedNumbers: [],
		unreachable: [],
		others: {},
		reported: new Set(),
		...changes,
	};
}

export function failureWith(
	status?: number,
	message = 'Refused',
	error = 'invalid',
): RegistryFailure {
	const body = { error, message, status };
	const credentialType = 'companyRegistryApi';
	return new RegistryFailure({ method: 'POST', credentialType, token: '', status, body });
}

/** At most forty words stand before each list, and no sentence stands twice. */
export function expectPlain(text: string): void {
	const own = text.replace(/The service said: "[^"]*"( \(\w+\))?\.?/g, '');
	for (const paragraph of own.split('\n\n')) {
		const [before] = paragraph.split(/(?<=:)(?:\n-| (?=\d{8}|wh_|row \d))/);
		const count = before.split(/\s+/).filter(Boolean).length;
		expect({ before, isShort: count <= 40 }).toEqual({ before, isShort: true });
	}
	const sentences = own.split(/(?<=\.)\s+/);
	expect(new Set(sentences).size).toBe(sentences.length);
	expect(text).not.toMatch(/undefined|\[object|NaN|\.\.| {2}/);
}
