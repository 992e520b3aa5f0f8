import type { Item } from '../run';
import { recordPath } from './recordPath';

/** @param where names the field of the path. @throws NodeOperationError for an invalid path */
export function readPath(item: Item, path: unknown, companyNumber: string, where: string): string {
	const result = recordPath(path, companyNumber, item.account.registry.baseUrl);
	if ('path' in result) return result.path;
	throw item.refuse({
		message: `${where} cannot be used: ${result.refusal}`,
		description:
			"Copy the path from the service's reference, with {company_number} in place of the number. It must stay under /v1.",
	});
}
