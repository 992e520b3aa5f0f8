// Which keys a secret may stand for.
import { decodedKey, keyIn } from '../../../nodes/CompanyRegistry/trigger/signatures/keys';

describe('the key in a secret', () => {
	it.each([
		'c2VjcmV0',
		'whsec_c2VjcmV0',
		'kwhsec_c2VjcmV0',
		'acme_whsec_c2VjcmV0',
		'c2Vjcm_-',
		'c2Vjcm+/',
		'c2VjcmU=',
		'c2VjcmV0cw==',
	])('is found in base64: %s', (secret) => {
		const text = secret.replace(/^.*whsec_/, '');
		expect(keyIn(secret, 'base64')).toEqual({ text, encoding: 'base64' });
		expect(decodedKey(secret)).toEqual({ text, encoding: 'base64' });
	});

	it.each([
		'',
		'whsec_',
		'kwhsec_',
		'=',
		'A',
		'c2Vj cmV0',
		'!c2VjcmV0',
		'c2VjcmV0!',
		'c2VjcmV0===',
	])('is not found in "%s", which is no base64 or decodes to nothing', (secret) => {
		expect(keyIn(secret, 'base64')).toBeUndefined();
		expect(decodedKey(secret)).toBeUndefined();
	});

	it('is found in hex, which comes before base64', () => {
		const key = { text: '00ffAB', encoding: 'hex' };
		expect(keyIn('00ffAB', 'hex')).toEqual(key);
		expect(decodedKey('00ffAB')).toEqual(key);
	});

	it.each(['', 'a', '00f', '00fg', ' 00ff', '00ff '])(
		'is not found in "%s", which is no hex',
		(secret) => {
			expect(keyIn(secret, 'hex')).toBeUndefined();
		},
	);

	it('is its text otherwise, but never an empty one', () => {
		expect(keyIn('whsec_a b', 'utf8')).toEqual({ text: 'whsec_a b', encoding: 'utf8' });
		expect(keyIn('', 'utf8')).toBeUndefined();
	});
});
