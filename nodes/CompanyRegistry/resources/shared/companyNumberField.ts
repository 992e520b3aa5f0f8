import { companyNumberLocator } from '../../shared/companyNumberLocator';

/**
 * The field of all operations that have a company number. Define it once: n8n evaluates its expression
 * once per field of the same name, for every item.
 */
export const companyNumberField = companyNumberLocator({
	displayOptions: {
		show: { resource: ['company', 'webhook'], operation: ['getRecord', 'create'] },
	},
});
