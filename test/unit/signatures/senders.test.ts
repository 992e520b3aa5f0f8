// How real senders sign: those that this package was built after, and others as a check of it.
import type { CustomScheme } from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery } from '../../simulator/signing';
import { PLAIN_SCHEME } from '../../support/plainScheme';
import { searchScheme } from '../../support/searchScheme';
import { beyondReach, described, recognised, type Sender } from '../../support/senders';

const now = 1_700_000_000;
const tolerance = 300;
const url = 'https://n8n.example/webhook/1/webhook?ref=0123456789abcdef';
const body = Buffer.from('{"event":"filing.new","company_number":"00445790"}');
const changed = Buffer.from('{"event":"filing.new","company_number":"00445791"}');
const wrong = { accepted: false, reason: 'wrong' };

const table = (which: Sender[]) => which.map((sender) => [sender.name, sender] as const);
const all = [...recognised, ...described];

function headersOf({ signs, secret, beside }: Sender): Record<string, string> {
	const signed = signDelivery(signs, { secret, body, id: 'e76c6bd1', timestamp: now, url });
	const others = { host: 'n8n.example', 'content-type': 'application/json', 'user-agent': 'A/1' };
	return { ...others, ...beside, ...signed };
}

/** What to enter for a sender, in the words of the node. */
function schemeOf({ signs }: Sender): CustomScheme {
	const { prefix = '', ...scheme } = signs;
	return { ...PLAIN_SCHEME, ...scheme, prefix: prefix.trim() } as CustomScheme;
}

it('of 209 senders 168 are recognised, and 22 can be described', () => {
	expect([recognised.length, described.length]).toEqual([168, 22]);
	const names = [...all.map(({ name }) => name), ...Object.keys(beyondReach)];
	expect(names).toHaveLength(209);
	expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
});

it.each(table(all))(
	'a delivery as %s signs it is accepted, and none with another body, under another secret or too old',
	(_name, sender) => {
		const { secret, signs } = sender;
		const scheme = described.includes(sender) ? schemeOf(sender) : undefined;
		const settings = { tolerance, scheme, url };
		const verify = (sent = body, at = now, withSecret = secret) =>
			verifyDelivery(sent, headersOf(sender), withSecret, at, settings);
		expect(verify()).toMatchObject({ accepted: true });
		expect(verify(changed)).toEqual(wrong);
		expect(verify(body, now, `${secret.slice(0, -4)}aaaa`)).toEqual(wrong);
		const isTimed = signs.content?.includes('{timestamp}') === true;
		expect(verify(body, now + 301)).toMatchObject(
			isTimed ? { reason: 'stale', age: 301 } : { accepted: true },
		);
	},
);

it.each(table(described))(
	'a delivery of %s needs a setting, and that is found',
	(_name, sender) => {
		const { secret, signs } = sender;
		const headers = headersOf(sender);
		expect(verifyDelivery(body, headers, secret, now, { tolerance }).accepted).toBe(false);
		const { content = '{body}', algorithm = 'sha256' } = signs;
		expect(searchScheme({ rawBody: body, headers, secret, now, tolerance, url })).toMatchObject({
			kind: 'custom',
			scheme: { content, algorithm },
		});
	},
);
