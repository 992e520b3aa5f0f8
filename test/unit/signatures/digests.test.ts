// What is read as a digest, and that digests are compared whole.
import {
	decodeDigests,
	isSameDigest,
	readDigest,
} from '../../../nodes/CompanyRegistry/trigger/signatures/digests';

const SHA256 = Buffer.alloc(32, 0xa5);
const SHA512 = Buffer.alloc(64, 0xa5);
const SHA1 = Buffer.alloc(20, 0xa5);
const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

describe('a part of a header is a digest', () => {
	it.each([
		['sha256', 'hex', SHA256.toString('hex')],
		['sha256', 'hex', SHA256.toString('hex').toUpperCase()],
		['sha256', 'base64', SHA256.toString('base64')],
		['sha256', 'base64', unpadded(SHA256)],
		['sha512', 'hex', SHA512.toString('hex')],
		['sha512', 'base64', SHA512.toString('base64')],
		['sha512', 'base64', unpadded(SHA512)],
		['sha1', 'hex', SHA1.toString('hex')],
		['sha1', 'base64', SHA1.toString('base64')],
		['sha1', 'base64', unpadded(SHA1)],
	])('of %s in %s: %s', (algorithm, encoding, text) => {
		const bytes = { sha256: SHA256, sha512: SHA512, sha1: SHA1 }[algorithm];
		expect(readDigest(text)).toEqual({ algorithm, encoding, text, bytes, label: '' });
		expect(readDigest(`v1=${text}`)).toMatchObject({ text, label: 'v1' });
		expect(readDigest(`sig="${text}"`)).toMatchObject({ text, label: 'sig' });
	});

	it.each([
		['too short', SHA256.toString('hex').slice(1)],
		['too long', `${SHA256.toString('hex')}a`],
		['of other characters', `${SHA256.toString('hex').slice(1)}g`],
		['padded with something else', `${unpadded(SHA256)}!`],
		['padded with something else', `${unpadded(SHA512)}!!`],
		['padded with something else', `${unpadded(SHA1)}!`],
		['behind a letter', `x${SHA256.toString('hex')}`],
		['behind a full stop, where that could be of the value', `a.${SHA256.toString('base64')}`],
		['that another algorithm is named for', `sha512=${SHA256.toString('hex')}`],
		['that another algorithm is named for', `hmac-sha1=${SHA256.toString('hex')}`],
		['nothing', ''],
	])('unless it is %s: %s', (_what, text) => {
		expect(readDigest(text)).toBeUndefined();
	});

	it('also behind the name of its own algorithm, or of none that is known', () => {
		for (const label of ['sha256', 'SHA-256', 'hmac-sha256', 'sha2567', 'sha5120']) {
			expect(readDigest(`${label}=${SHA256.toString('hex')}`)?.label).toBe(label);
		}
	});

	it('behind 60 characters at most', () => {
		const behind = (length: number) => `${'x'.repeat(length - 1)}=${SHA256.toString('hex')}`;
		expect(readDigest(behind(60))?.label).toHaveLength(59);
		expect(readDigest(behind(61))).toBeUndefined();
	});
});

describe('the digests among some texts', () => {
	const algorithms = { sha256: SHA256, sha512: SHA512, sha1: SHA1 } as const;

	it.each(['sha256', 'sha512', 'sha1'] as const)('of %s are those of its length', (algorithm) => {
		const bytes = algorithms[algorithm];
		const others = Object.values(algorithms).filter((other) => other !== bytes);
		const inHex = [...others, bytes].map((one) => one.toString('hex'));
		expect(decodeDigests(inHex, algorithm, 'hex')).toEqual([bytes]);
		const inBase64 = [...others, bytes].flatMap((one) => [one.toString('base64'), unpadded(one)]);
		expect([...new Set(inBase64)].length).toBeGreaterThan(3);
		const found = decodeDigests(inBase64, algorithm, 'base64');
		expect(found.every((one) => one.equals(bytes))).toBe(true);
		expect(found).toHaveLength(2);
	});

	it('hold nothing else than that', () => {
		const base64 = unpadded(SHA256);
		const others = [`${base64}!`, `${base64.slice(1)}!`, `${base64}a`, `${base64}==`, `=${base64}`];
		expect(decodeDigests(others, 'sha256', 'base64')).toEqual([]);
		const hex = SHA256.toString('hex');
		expect(decodeDigests([`${hex}=`, `${hex.slice(1)}g`], 'sha256', 'hex')).toEqual([]);
	});

	it('are sixteen at most', () => {
		const many = Array<string>(17).fill(SHA256.toString('hex'));
		expect(decodeDigests(many, 'sha256', 'hex')).toHaveLength(16);
	});
});

it.each([
	['the same bytes', 'ab12', 'ab12', true],
	['other bytes', 'ab12', 'ab13', false],
	['a beginning of the other', 'ab', 'ab12', false],
	['one that begins with the other', 'ab12', 'ab', false],
	['nothing', '', 'ab', false],
])('comparing %s', (_what, one, other, expected) => {
	expect(isSameDigest(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))).toBe(expected);
});
