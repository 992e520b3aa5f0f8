import { findScheme } from '../../../nodes/CompanyRegistry/trigger/signatures/findScheme';
import type { CustomScheme } from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery } from '../../simulator/signing';
import { beyondReach, surveyedSenders, TEXT } from '../../support/surveyedSenders';

const now = 1_700_000_000;
const tolerance = 300;
const url = 'https://n8n.example/webhook/1/webhook?ref=0123456789abcdef';
const body = Buffer.from('{"event":"filing.new","company_number":"00445790"}');

const PLAIN: CustomScheme = {
	header: '',
	algorithm: 'sha256',
	encoding: 'hex',
	prefix: '',
	content: '{body}',
	timestampHeader: '',
	idHeader: '',
	secretEncoding: 'utf8',
};

const recognised = surveyedSenders.filter(({ custom }) => custom === undefined);
const described = surveyedSenders.filter(({ custom }) => custom !== undefined);

it('of 76 senders 63 are recognised, and 9 can be described', () => {
	expect(recognised).toHaveLength(63);
	expect(described).toHaveLength(9);
	expect(surveyedSenders.length + Object.keys(beyondReach).length).toBe(76);
	expect(new Set(surveyedSenders.map(({ name }) => name)).size).toBe(surveyedSenders.length);
});

describe.each(surveyedSenders.map((sender) => [sender.name, sender] as const))(
	'a delivery as %s signs it',
	(_name, { signs, secret = TEXT, custom }) => {
		const scheme = custom && { ...PLAIN, ...custom };
		const signable = { secret, body, id: 'e76c6bd1', timestamp: now, url };
		const headers = {
			host: 'n8n.example',
			'content-type': 'application/json',
			'user-agent': 'Acme/1.0',
			...signDelivery(signs, signable),
		};
		const verify = (sent = body, at = now, withSecret = secret) =>
			verifyDelivery(sent, headers, withSecret, at, { tolerance, scheme, url: () => url });

		it('is accepted', () => {
			expect(verify()).toMatchObject({ accepted: true });
		});

		it('is refused with another body, or under another secret', () => {
			const changed = Buffer.from(body.toString().replace('00445790', '00445791'));
			expect(verify(changed)).toEqual({ accepted: false, reason: 'wrong' });
			expect(verify(body, now, `${secret.slice(0, -4)}aaaa`)).toEqual({
				accepted: false,
				reason: 'wrong',
			});
		});

		if (signs.content?.includes('{timestamp}')) {
			it('is refused when it is old', () => {
				expect(verify(body, now + 301)).toEqual({ accepted: false, reason: 'stale' });
			});
		}

		if (scheme === undefined) return;

		it('is not recognised without the setting, which is found', () => {
			const unset = verifyDelivery(body, headers, secret, now, { tolerance });
			expect(unset).toMatchObject({ accepted: false });
			const delivery = { rawBody: body, headers, secret, now, tolerance, url: () => url };
			const { content } = scheme;
			expect(findScheme(delivery)).toMatchObject({
				kind: 'custom',
				scheme: { content: content.toLowerCase(), algorithm: scheme.algorithm },
			});
		});
	},
);
