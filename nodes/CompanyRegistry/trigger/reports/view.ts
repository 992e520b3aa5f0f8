import { compact, difference } from 'lodash';

import { formatCompany, pluralise } from '../../shared/format';
import type { Drift } from '../lifecycle/plan';
import { latestNumber } from '../lifecycle/kept';
import { NOT_PUBLISHED, NOT_RUNNING, NOT_SET_UP, type Cause } from './ledger';
import { areRemovalsTold, headingsOf, type Headings, type Situation } from './situation';
import { clockIn, type Clock } from './times';
import { forCount } from './words';

const DRIFTS: Record<Drift, string> = {
	paused: 'Had been paused',
	events: 'Had other events',
	redirected: 'Had been redirected to another address',
	removed: 'Had been removed',
};

/** The first words of their list say enough. */
const WITHOUT_WORDS: Cause[] = [NOT_PUBLISHED, NOT_SET_UP];

/** A situation, and what several facts are made of. */
export interface View {
	situation: Situation;
	headings: Headings;
	clock: Clock;
	/** `58 companies are watched`. */
	total: string;
	/** The company with its name. */
	nameOf: (company: string) => string;
	/** When events of the company may be missing, and why; empty where it has no news. */
	newsOf: (company: string) => string;
	/** The words behind the name of a company in a line; empty where it has no news. */
	detailsOf: (company: string) => string;
	/** The company with its name, and its news. */
	lineOf: (company: string) => string;
}

export function viewOf(situation: Situation): View {
	const { outcome, timezone, at } = situation;
	const headings = headingsOf(situation);
	const clock = clockIn(timezone, at);
	const { watched, desired, unverified } = outcome;

	const nameOf = (company: string) => formatCompany(company, desired.names);
	const unreadNews = (company: string) => {
		const news = situation.news.companies.get(company);
		const isRead = news?.isBeginningReported && news.gap.to === undefined;
		return isRead ? undefined : news;
	};
	const whyOf = (company: string) => {
		const { gap, drift, causes = [] } = unreadNews(company) ?? {};
		if (drift) return DRIFTS[drift];
		if (gap?.isDowntime) return gap.isKill ? 'n8n was killed' : NOT_RUNNING;
		return difference(causes, WITHOUT_WORDS).join(' and ');
	};
	const isLeft = new Set(headings.left);
	const isDelivering = new Set(outcome.delivering);
	const rangeOf = (company: string) => {
		const { gap } = unreadNews(company) ?? {};
		// n8n is back or the trigger published again, and still no event of the company arrives.
		const goesOn = isLeft.has(company) && !isDelivering.has(company);
		return gap && clock.rangeOf(goesOn ? { from: gap.from } : gap);
	};
	const newsOf = (company: string) => {
		const [why, range] = [whyOf(company), rangeOf(company)];
		return why && range ? `${why} (${range})` : why || range || '';
	};

	/** A company that is not watched is under that heading only. */
	const whyKept = (company: string) => {
		if (!desired.kept.has(company)) return '';
		const newNumber = latestNumber(desired.kept, company);
		const what = newNumber ? `has the number ${newNumber} now` : 'left your list';
		const toEnd = areRemovalsTold(outcome) && 'to end it, unpublish and publish this list';
		return compact([what, toEnd]).join('; ');
	};
	const detailsOf = (company: string) => {
		const ids = isLeft.has(company) ? unverified[company] : undefined;
		const pause =
			ids &&
			`pause its webhook ${ids.join(' and ')}, which cannot be verified, unless something else uses it`;
		const range = rangeOf(company);
		const missing = range !== undefined && `events may be missing ${range}`.trim();
		return compact([isLeft.has(company) && whyKept(company), whyOf(company), missing, pause]).join(
			'; ',
		);
	};
	const lineOf = (company: string) => compact([nameOf(company), detailsOf(company)]).join(': ');

	const are = forCount(watched.length, 'is', 'are');
	const total = `${pluralise(watched.length, 'company')} ${are} watched`;
	return { situation, headings, clock, total, nameOf, newsOf, detailsOf, lineOf };
}
