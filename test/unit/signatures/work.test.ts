// What a sender may put into headers costs no more than its length.
import { createHmac } from 'node:crypto';

import fc from 'fast-check';

import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { PLAIN_SCHEME } from '../../support/plainScheme';
import { searchScheme } from '../../support/searchScheme';

jest.setTimeout(120_000);

const secret = 'a secret, as text';
const rawBody = Buffer.from('{"event":"filing.new"}');
/** As somebody has captured it who does not know the secret. */
const digest = createHmac('sha256', secret).update(rawBody).digest('hex');
const now = 1_700_000_000;

/** Milliseconds of CPU for all that is done with the headers of a refused delivery. */
function timeOf(headers: DeliveryHeaders): number {
	const custom = { ...PLAIN_SCHEME, header: 'a-signature', headerFormat: 't={id}.{signature}' };
	const before = process.cpuUsage();
	for (const scheme of [undefined, custom]) {
		const delivery = { rawBody, headers, secret, now, tolerance: 300, scheme };
		verifyDelivery(delivery);
		searchScheme(delivery);
	}
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

const inFour = (value: string) =>
	Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${name}-signature`, value]));

it.each(['t=', 'a=', 'v1:', 'hmac-sha256=', '"t=', '=', 'id.'])(
	'a captured digest under a crafted label of "%s" is searched in less than a second',
	(unit) => {
		const label = unit.repeat(60).slice(0, 58);
		expect(timeOf(inFour(`${label}!=${digest}`))).toBeLessThan(1000);
	},
);

it.each([
	['digests', Array.from({ length: 8 }, (_, n) => String(n).repeat(64)).join()],
	[
		'digests in more than is searched',
		Array.from({ length: 60 }, (_, n) => `${n}`.padEnd(64, 'a')).join(),
	],
	['short parts', Array.from({ length: 1300 }, (_, n) => n.toString(36).padStart(2, '0')).join()],
])('a header of many %s is searched in less than half a second', (_what, value) => {
	const times = { 'x-timestamp': String(now), 'x-call-id': 'a', 'x-event-id': 'b' };
	timeOf({});
	expect(timeOf({ ...times, ...inFour(`${digest},${value}`.slice(0, 4090)) })).toBeLessThan(500);
});

it('the time grows with the length and no faster', () => {
	const unit = fc.constantFrom(
		...['t=', 'a=', 'v1=', 'hmac-', 'sha256', 'id', '"', ':', '=', '|', '.', '!', '-', ',', ' '],
		...['{', '}', '1', '17000000', 'T', 'a', '+', '/', `,${digest}`],
	);
	const units = fc.array(unit, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
	fc.assert(
		fc.property(units, units, (text, end) => {
			const ofLength = (length: number) =>
				inFour(`${text.repeat(length).slice(0, length)}${end}=${digest}`);
			// A warm-up, and what is bounded whatever the length: the search's HMACs.
			const short = Math.max(timeOf(ofLength(250)), timeOf(ofLength(250)));
			// Four headers of this length are all that Node takes.
			expect(timeOf(ofLength(4000))).toBeLessThan(64 * short + 500);
		}),
		{ numRuns: 40, seed: 37 },
	);
});
