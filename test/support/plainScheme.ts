import type { CustomScheme } from '../../nodes/CompanyRegistry/trigger/signatures/customScheme';

/** What the fields of a custom scheme say until the user changes them. */
export const PLAIN_SCHEME: CustomScheme = {
	header: '',
	headerFormat: '',
	algorithm: 'sha256',
	encoding: 'hex',
	content: '{body}',
	timestampHeader: '',
	idHeader: '',
	secretEncoding: 'utf8',
};
