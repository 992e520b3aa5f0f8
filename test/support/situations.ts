// Situations of a trigger, as the words about it are made of them.
import { RegistryFailure } from '../../nodes/CompanyRegistry/registry/failure';
import {
	emptyDesired,
	type DesiredState,
} from '../../nodes/CompanyRegistry/trigger/lifecycle/desired';
import type { KeptCompany } from '../../nodes/CompanyRegistry/trigger/lifecycle/kept';
import type { CompanyNews, News } from '../../nodes/CompanyRegistry/trigger/reports/ledger';
import type { Outcome } from '../../nodes/CompanyRegistry/trigger/lifecycle/outcome';
import { optionsSchema } from '../../nodes/CompanyRegistry/trigger/parameters/options';
import type { Situation } from '../../nodes/CompanyRegistry/trigger/reports/situation';

/** 25 November 2026, 06:00 in London. */
export const NOW = Date.UTC(2026, 10, 25, 6, 0);
/** So many minutes after five o'clock of that day. */
export const minutes = (count: number) => Date.UTC(2026, 10, 25, 5, count);
export const numbersOf = (count: number) =>
	Array.from({ length: count }, (_, n) => String(10_000_001 + n));
export const COMPANIES = numbersOf(58);

export interface Facts {
	/** How many of the companies are watched, from the first on; all of them by default. */
	watched?: number;
	all?: string[];
	desired?: Partial<DesiredState>;
	outcome?: Partial<Outcome>;
	news?: Partial<News>;
	situation?: Partial<Situation>;
}

/** All companies are watched, and nothing has happened, but for what is given. */
export function situationOf(facts: Facts = {}): Situation {
	const { all = COMPANIES, watched = all.length, desired, outcome, news, situation } = facts;
	const confirmed = all.slice(0, watched);
	return {
		outcome: {
			desired: {
				...emptyDesired('https://n8n.example.com/webhook/1/webhook', ['filing.new']),
				companies: all,
				names: new Map([[all[0], 'Acme Ltd']]),
				...desired,
			},
			isChecked: true,
			watched: confirmed,
			existing: confirmed,
			delivering: confirmed,
			refused: new Map(),
			notEnded: [],
			lost: [],
			unverified: {},
			others: {},
			alreadyWatched: [],
			extended: [],
			hasMorePages: false,
			...outcome,
		},
		news: { watchedBefore: confirmed, companies: new Map(), leftActive: [], ...news },
		isSettingUp: false,
		isFirst: false,
		at: NOW,
		timezone: 'Europe/London',
		workflow: 'Watch our clients',
		...situation,
	};
}

export const keptFor = (
	reason: KeptCompany['reason'],
	companies: string[],
	newNumber?: string,
): Pick<DesiredState, 'kept'> => ({
	kept: new Map(
		companies.map((company) => [
			company,
			{ reason, name: null, email: null, columns: null, newNumber },
		]),
	),
});

export const unread = (
	count: number,
	unwatchable: 'stop' | 'skip' = 'stop',
	looksMistyped = false,
) => ({
	unreadable: Array.from({ length: count }, (_, row) => ({
		words: `row ${row + 2} ("sole trader")`,
		looksMistyped,
	})),
	options: optionsSchema.parse({ unwatchable }),
});

/** The same news for each of some companies. */
export const newsOf = (companies: string[], news: CompanyNews): Pick<News, 'companies'> => ({
	companies: new Map(companies.map((company) => [company, news])),
});

export const refused = (companies: string[], reason: unknown = failureWith(422, 'Struck off')) => ({
	refused: new Map(companies.map((company) => [company, reason])),
});

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
