import {
	customSchemeSchema,
	type CustomScheme,
} from '../../nodes/CompanyRegistry/trigger/signatures/customScheme';

/** What the fields of a custom scheme say until the user changes them. */
export const PLAIN_SCHEME: CustomScheme = customSchemeSchema.parse({});
