import {
	base64Key,
	isPlainId,
	textKey,
} from '../../../nodes/CompanyRegistry/trigger/signatures/signatureText';

describe('the key in a secret', () => {
	it.each(['c2VjcmV0', 'whsec_c2VjcmV0', 'c2Vjcm_-', 'c2Vjcm+/', 'c2VjcmU=', 'c2VjcmV0cw=='])(
		'is found in base64: %s',
		(secret) => {
			expect(base64Key(secret)).toEqual([
				{ text: secret.replace('whsec_', ''), encoding: 'base64' },
			]);
		},
	);

	it.each(['', 'whsec_', '=', 'A', 'c2Vj cmV0', '!c2VjcmV0', 'c2VjcmV0!', 'c2VjcmV0==='])(
		'is not found in "%s", which is no base64 or decodes to nothing',
		(secret) => {
			expect(base64Key(secret)).toEqual([]);
		},
	);

	it('is its text otherwise, but never an empty one', () => {
		expect(textKey('whsec_a b')).toEqual([{ text: 'whsec_a b', encoding: 'utf8' }]);
		expect(textKey('')).toEqual([]);
	});
});

describe('a signed id', () => {
	it.each(['msg_1', 'a-b.c:d', 'é'])('is plain: %s', (id) => {
		expect(isPlainId(id)).toBe(true);
	});

	it.each(['', '{a', 'a}', '[a', 'a]', '"a', 'a"', ' a', 'a b', 'a\n'])(
		'is not plain: %j',
		(id) => {
			expect(isPlainId(id)).toBe(false);
		},
	);
});
