/** The records of a company that have operations of their own. */
export type RecordName = 'company' | 'officers' | 'pscs' | 'filings';

/**
 * Their paths with {company_number}, once they are known. The service's reference does not show them, so users
 * enter them in the credential.
 */
export const SERVICE_PATHS: Partial<Record<RecordName, string>> = {};
