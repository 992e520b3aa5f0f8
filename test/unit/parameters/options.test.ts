// The trigger's options, as read from what the user has set: what is odd has the documented default.
import { optionsSchema } from '../../../nodes/CompanyRegistry/trigger/parameters/options';

const DEFAULTS = {
	addressChanged: 'ask',
	alreadyWatched: 'ask',
	includeRequest: false,
	refusedCompanies: 'fail',
	repeatedDeliveries: 'ignore',
	signature: {},
	testEvent: 'sample',
	tolerance: 300,
	unreadableRows: 'fail',
};

const SCHEME = {
	header: 'X-Seal',
	headerFormat: '',
	algorithm: 'sha512',
	encoding: 'base64',
	prefix: 'v2=',
	content: '{id}{timestamp}{body}',
	timestampHeader: 'X-Time',
	idHeader: 'X-Id',
	secretEncoding: 'base64',
};

it('has the documented defaults, and none of them is a custom scheme', () => {
	expect(optionsSchema.parse({})).toEqual(DEFAULTS);
	expect(optionsSchema.parse({ addressChanged: 'later', repeatedDeliveries: true })).toEqual(
		DEFAULTS,
	);
});

it('takes what the user has set, without spaces around, and a tolerance as text too', () => {
	const set = { includeRequest: true, signature: { scheme: SCHEME }, tolerance: 60 };
	expect(optionsSchema.parse(set)).toMatchObject(set);
	const spaced = { ...SCHEME, header: ' X-Seal ', idHeader: 'X-Id\n' };
	const entered = { ...set, signature: { scheme: spaced }, tolerance: '60' };
	expect(optionsSchema.parse(entered)).toMatchObject(set);
});

it.each([0, -5, Number.NaN, Infinity, '', 'soon', {}])('takes %p for no tolerance', (tolerance) => {
	expect(optionsSchema.parse({ tolerance }).tolerance).toBe(300);
});

it.each([
	['nothing else is set', {}, '{body}'],
	['the verifier does not know what is set', { algorithm: 'md5', encoding: 'latin1' }, '{body}'],
	['what is set is no text', { content: 5, idHeader: 5, secretEncoding: 5 }, ''],
])('signs with SHA-256 in hex where %s', (_what, values, content) => {
	const scheme = { header: 'X-Seal', ...values };
	expect(optionsSchema.parse({ signature: { scheme } }).signature.scheme).toEqual({
		header: 'X-Seal',
		headerFormat: '',
		prefix: '',
		algorithm: 'sha256',
		encoding: 'hex',
		content,
		timestampHeader: '',
		idHeader: '',
		secretEncoding: 'utf8',
	});
});
