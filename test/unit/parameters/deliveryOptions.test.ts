// The trigger's options for deliveries, as read from what the user has set.
import type { IDataObject } from 'n8n-workflow';

import { readDeliveryOptions } from '../../../nodes/CompanyRegistry/trigger/parameters/deliveryOptions';

const DEFAULTS = {
	runRepeated: false,
	includeRequest: false,
	tolerance: 300,
};

const COMPLETE = {
	header: 'X-Seal',
	algorithm: 'sha512',
	encoding: 'base64',
	prefix: 'v2=',
	content: '{id}{timestamp}{body}',
	timestampHeader: 'X-Time',
	idHeader: 'X-Id',
	secretEncoding: 'base64',
};

it('has the documented defaults, and none of them is a custom scheme', () => {
	expect(readDeliveryOptions({})).toEqual(DEFAULTS);
	expect(readDeliveryOptions({ signature: {} })).toEqual(DEFAULTS);
});

it('takes what the user has set, a tolerance from an expression as text too', () => {
	const set = { repeatedDeliveries: 'run', includeRequest: true, tolerance: '60' };
	expect(readDeliveryOptions(set)).toEqual({
		runRepeated: true,
		includeRequest: true,
		tolerance: 60,
	});
});

it.each([0, -5, Number.NaN, Infinity, '', 'soon', {}])(
	'a tolerance of %p is not one: the default counts',
	(tolerance) => {
		expect(readDeliveryOptions({ tolerance }).tolerance).toBe(300);
	},
);

it.each([undefined, 'ignore', 'later', true])(
	'repeats run only when asked for: %p',
	(repeatedDeliveries) => {
		expect(readDeliveryOptions({ repeatedDeliveries }).runRepeated).toBe(false);
	},
);

describe('a custom scheme', () => {
	const scheme = (values: IDataObject) =>
		readDeliveryOptions({ signature: { scheme: values } }).scheme;

	it('is taken as set, without spaces around', () => {
		expect(scheme(COMPLETE)).toEqual(COMPLETE);
		expect(scheme({ ...COMPLETE, header: ' X-Seal ', idHeader: 'X-Id\n' })).toEqual(COMPLETE);
	});

	it('signs the body alone with SHA-256 in hex where nothing else is set', () => {
		expect(scheme({ header: 'X-Seal' })).toEqual({
			header: 'X-Seal',
			algorithm: 'sha256',
			encoding: 'hex',
			prefix: '',
			content: '{body}',
			timestampHeader: '',
			idHeader: '',
			secretEncoding: 'utf8',
		});
	});

	it('holds no algorithm or encoding that the verifier does not know', () => {
		const odd = {
			...COMPLETE,
			algorithm: 'md5',
			encoding: 'latin1',
			secretEncoding: 'base32',
			header: 5,
		};
		expect(scheme(odd)).toMatchObject({
			header: '',
			algorithm: 'sha256',
			encoding: 'hex',
			secretEncoding: 'utf8',
		});
	});
});
