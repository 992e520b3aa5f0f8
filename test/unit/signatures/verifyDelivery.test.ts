// Known answers for each scheme, and each of them with one corruption.
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signatureVectors, type SignatureVector } from '../../support/signatureVectors';

const TOLERANCE = 300;
const all = Object.entries(signatureVectors);
const timed = all.filter(([, { signedAt }]) => signedAt !== undefined);

function verdict(vector: SignatureVector, now = vector.signedAt ?? 0) {
	const { body, headers, secret, scheme } = vector;
	return verifyDelivery(Buffer.from(body), headers, secret, now, { tolerance: TOLERANCE, scheme });
}

/** The same delivery with one header changed. */
function withHeader(
	vector: SignatureVector,
	name: string,
	change: (value: string) => string,
): SignatureVector {
	return { ...vector, headers: { ...vector.headers, [name]: change(vector.headers[name]) } };
}

const furtherHeaders = ({ headers, signature }: SignatureVector) =>
	Object.keys(headers).filter((name) => name !== signature);

/** The last character of base64 is spared: some of its bits do not count. */
function swapTenthFromEnd(value: string): string {
	const index = value.length - 10;
	return value.slice(0, index) + (value[index] === 'a' ? 'b' : 'a') + value.slice(index + 1);
}

describe.each(all)('the known answer of %s', (_name, vector) => {
	it('is accepted', () => {
		expect(verdict(vector)).toMatchObject({ accepted: true });
	});

	it.each<[string, SignatureVector]>([
		['one letter of the body changed', { ...vector, body: vector.body.replace(/[a-z]/, 'X') }],
		['a space added to the body', { ...vector, body: `${vector.body} ` }],
		['no body', { ...vector, body: '' }],
		['another secret', { ...vector, secret: vector.secret.replace(/.$/, 'x') }],
		['an empty secret', { ...vector, secret: '' }],
		['one digit of the signature changed', withHeader(vector, vector.signature, swapTenthFromEnd)],
		...furtherHeaders(vector).map((name): [string, SignatureVector] => [
			`${name} changed`,
			withHeader(vector, name, (value) =>
				value.replace(/.$/, (last) => (last === '1' ? '2' : '1')),
			),
		]),
	])('is refused as wrong with %s', (_change, changed) => {
		expect(verdict(changed)).toEqual({ accepted: false, reason: 'wrong' });
	});

	it.each(Object.keys(vector.headers))('is refused without its header %s', (name) => {
		const reason = name === vector.signature ? 'missing' : expect.any(String);
		const without = { ...vector.headers, [name]: '' };
		expect(verdict({ ...vector, headers: without })).toEqual({ accepted: false, reason });
	});
});

describe.each(timed)('the signed time of %s', (_name, vector) => {
	const signedAt = vector.signedAt ?? NaN;

	it.each([-TOLERANCE, TOLERANCE])('is fresh %i seconds from now', (off) => {
		expect(verdict(vector, signedAt + off)).toMatchObject({ accepted: true });
	});

	it.each([-TOLERANCE - 1, TOLERANCE + 1, -1e9, 1e12, NaN])(
		'is stale %i seconds from now',
		(off) => {
			expect(verdict(vector, signedAt + off)).toEqual({
				accepted: false,
				reason: 'stale',
				age: off,
			});
		},
	);
});

it('reports the delivery id only when the signature covers it', () => {
	expect(verdict(signatureVectors.Svix)).toEqual({
		accepted: true,
		signedId: 'msg_loFOjxBNrRLzqYUf',
		idNamesDelivery: true,
	});
	const { GitHub } = signatureVectors;
	const headers = { ...GitHub.headers, 'x-github-delivery': 'a1' };
	expect(verdict({ ...GitHub, headers })).toEqual({ accepted: true });
});

it('takes the time of a scheme that signs none for fresh at any time', () => {
	expect(verdict(signatureVectors.GitHub, 4e9)).toEqual({ accepted: true });
});
