// Digests are compared whole.
import { isSameDigest } from '../../../nodes/CompanyRegistry/trigger/signatures/digests';

it.each([
	['the same bytes', 'ab12', 'ab12', true],
	['other bytes', 'ab12', 'ab13', false],
	['a beginning of the other', 'ab', 'ab12', false],
	['one that begins with the other', 'ab12', 'ab', false],
	['nothing', '', 'ab', false],
])('%s', (_what, one, other, expected) => {
	expect(isSameDigest(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))).toBe(expected);
});
