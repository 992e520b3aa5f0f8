// Real senders whose scheme has to be entered. Those that are recognised are in verifyDelivery.property.test.ts
// and besideProxies.test.ts.
import type { CustomScheme } from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery } from '../../simulator/signing';
import { PLAIN_SCHEME } from '../../support/plainScheme';
import { searchScheme } from '../../support/searchScheme';
import { described } from '../../support/senders';

const now = 1_700_000_000;
const tolerance = 300;
const url = 'https://n8n.example/webhook/1/webhook?ref=0123456789abcdef';
const body = Buffer.from('{"event":"filing.new","company_number":"00445790"}');
const changed = Buffer.from('{"event":"filing.new","company_number":"00445791"}');
const wrong = { accepted: false, reason: 'wrong' };

it.each(described.map((sender) => [sender.name, sender] as const))(
	'a delivery as %s signs it is accepted with its settings alone, which are found',
	(_name, { signs, secret, beside }) => {
		const signed = signDelivery(signs, { secret, body, id: 'e76c6bd1', timestamp: now, url });
		const others = { host: 'n8n.example', 'content-type': 'application/json', 'user-agent': 'A/1' };
		const headers = { ...others, ...beside, ...signed };
		const { prefix = '', content = '{body}', algorithm = 'sha256' } = signs;
		// What to enter, in the words of the node.
		const scheme = { ...PLAIN_SCHEME, ...signs, prefix: prefix.trim() } as CustomScheme;
		const verify = (sent = body, at = now, withSecret = secret) =>
			verifyDelivery(sent, headers, withSecret, at, { tolerance, scheme, url });
		expect(verify()).toMatchObject({ accepted: true });
		expect(verify(changed)).toEqual(wrong);
		expect(verify(body, now, `${secret.slice(0, -4)}aaaa`)).toEqual(wrong);
		expect(verify(body, now + 301)).toMatchObject(
			content.includes('{timestamp}') ? { reason: 'stale', age: 301 } : { accepted: true },
		);

		expect(verifyDelivery(body, headers, secret, now, { tolerance }).accepted).toBe(false);
		expect(searchScheme({ rawBody: body, headers, secret, now, tolerance, url })).toMatchObject({
			kind: 'custom',
			scheme: { content, algorithm },
		});
	},
);
