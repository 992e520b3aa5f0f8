import { findScheme } from '../../nodes/CompanyRegistry/trigger/signatures/findScheme';
import { verifyDelivery } from '../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery } from '../simulator/signing';
import { PLAIN_SCHEME } from './plainScheme';
import { TEXT, type SurveyedSender } from './senderShapes';

const now = 1_700_000_000;
const tolerance = 300;
const url = 'https://n8n.example/webhook/1/webhook?ref=0123456789abcdef';
const body = Buffer.from('{"event":"filing.new","company_number":"00445790"}');

/** Tests that a delivery is verified as these senders sign it, and is not once it is changed. */
export function describeSenders(senders: SurveyedSender[]): void {
	describe.each(senders.map((sender) => [sender.name, sender] as const))(
		'a delivery as %s signs it',
		(_name, sender) => describeSender(sender),
	);
}

function describeSender({ signs, secret = TEXT, beside, custom }: SurveyedSender) {
	const scheme = custom && { ...PLAIN_SCHEME, ...custom };
	const signable = { secret, body, id: 'e76c6bd1', timestamp: now, url };
	const headers = {
		host: 'n8n.example',
		'content-type': 'application/json',
		'user-agent': 'Acme/1.0',
		...beside,
		...signDelivery(signs, signable),
	};
	const verify = (sent = body, at = now, withSecret = secret) =>
		verifyDelivery(sent, headers, withSecret, at, { tolerance, scheme, url });

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
			expect(verify(body, now + 301)).toEqual({ accepted: false, reason: 'stale', age: 301 });
		});
	}

	if (scheme === undefined) return;

	it('is not recognised without the setting', () => {
		expect(verifyDelivery(body, headers, secret, now, { tolerance })).toMatchObject({
			accepted: false,
		});
	});

	it('has a setting that is found', () => {
		const found = findScheme({
			rawBody: body,
			headers,
			secret,
			now,
			tolerance,
			url,
		});
		const { content, algorithm } = scheme;
		expect(found).toMatchObject({
			kind: 'custom',
			scheme: { content: content.replace('{URL}', '{url}'), algorithm },
		});
	});
}
