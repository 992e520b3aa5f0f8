// A secret with a prefix up to an underscore: its key is its text, or what follows as text, hex or base64.
import crypto, { createHmac } from 'node:crypto';

import { keysIn } from '../../../nodes/CompanyRegistry/trigger/signatures/digests';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { searchScheme } from '../../support/searchScheme';
import { BASE64, HEX } from '../../support/senders';

const now = 1_700_000_000;
const body = Buffer.from('{"event":"filing.new"}');
const PREFIXES = ['v1,whsec_', 'whsk_', 'acme_whsec_', 'sk_live_', 'Acme-1_'];
const KEYS: Array<[string, BufferEncoding]> = [
	[BASE64, 'base64'],
	[BASE64, 'utf8'],
	[HEX, 'hex'],
	[HEX, 'utf8'],
];
const cases = PREFIXES.flatMap((prefix) => [
	...KEYS.map(([rest, encoding]) => [prefix + rest, Buffer.from(rest, encoding)] as const),
	[prefix + BASE64, Buffer.from(prefix + BASE64)] as const,
]);

/** Headers in three formats, from the one with the fewest claims to the one with the most. */
const SENDERS: Record<string, (key: Buffer) => Record<string, string>> = {
	'over the body': (key) => ({
		'x-acme-signature': createHmac('sha256', key).update(body).digest('hex'),
	}),
	'with a time in the same header': (key) => ({
		'x-acme-signature': `t=${now},v1=${createHmac('sha256', key).update(`${now}.`).update(body).digest('hex')}`,
	}),
	'like Standard Webhooks': (key) => ({
		'webhook-id': 'msg_1',
		'webhook-timestamp': String(now),
		'webhook-signature': `v1,${createHmac('sha256', key).update(`msg_1.${now}.`).update(body).digest('base64')}`,
	}),
};

afterEach(() => jest.restoreAllMocks());

describe.each(Object.entries(SENDERS))('%s', (_what, sign) => {
	it.each(cases)('%s is recognised, or its settings are found', (secret, key) => {
		const delivery = { rawBody: body, headers: sign(key), secret, now, tolerance: 300 };
		const hmacs = jest.spyOn(crypto, 'createHmac');
		const verdict = verifyDelivery(delivery);
		expect(hmacs.mock.calls.length).toBeLessThanOrEqual(16);
		const finding = searchScheme(delivery);
		const scheme = finding?.reason === 'custom' ? finding.scheme : undefined;
		expect(verdict.accepted || verifyDelivery({ ...delivery, scheme }).accepted).toBe(true);
		expect(verifyDelivery({ ...delivery, scheme, secret: `${secret}ff` }).accepted).toBe(false);
	});
});

it('over the body, each is recognised without any setting, and so are Standard Webhooks', () => {
	const isRefused = (name: string, secret: string, key: Buffer) => {
		const headers = SENDERS[name](key);
		return !verifyDelivery({ rawBody: body, headers, secret, now, tolerance: 300 }).accepted;
	};
	expect(cases.filter(([secret, key]) => isRefused('over the body', secret, key))).toEqual([]);
	const key = Buffer.from(BASE64, 'base64');
	const standard = ['v1,whsec_', 'whsk_'].map((prefix) => prefix + BASE64);
	expect(standard.filter((one) => isRefused('like Standard Webhooks', one, key))).toEqual([]);
});

it('what follows is no key where it is short enough to be guessed', () => {
	expect(keysIn('a long secret of tests_short', 'utf8')).toEqual([
		Buffer.from('a long secret of tests_short'),
	]);
	expect(keysIn(`whsk_${'a'.repeat(15)}`, 'utf8')).toHaveLength(1);
	expect(keysIn(`whsk_${'a'.repeat(16)}`, 'utf8')).toHaveLength(2);
});
