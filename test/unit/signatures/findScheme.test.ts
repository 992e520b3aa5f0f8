import { createHmac } from 'node:crypto';

import { findingInWords } from '../../../nodes/CompanyRegistry/trigger/parameters/findingInWords';
import { findScheme } from '../../../nodes/CompanyRegistry/trigger/signatures/findScheme';

const secret = 'secret of tests';
const now = 1_700_000_000;
const rawBody = Buffer.from('{"event":"filing.new"}');

it('finds the settings that prove a delivery, and says them in the words of the fields', () => {
	const signature = createHmac('sha256', secret).update(`call-1:${now}:${rawBody}`).digest('hex');
	const headers = {
		host: 'n8n.example',
		'x-foo-seal': `v3=${signature}`,
		'x-foo-sent-at': String(now),
		'x-foo-call': 'call-1',
	};
	const finding = findScheme({ rawBody, headers, secret, now, tolerance: 300 });
	expect(findingInWords(finding)).toBe(
		'The delivery is genuine, but signed in a way that is not recognised. Enter under Options → Signature: Header `X-Foo-Seal`, Prefix `v3=`, Signed Content `{id}:{timestamp}:{body}`, Timestamp Header `X-Foo-Sent-At`, ID Header `X-Foo-Call`',
	);
});
