import { companyNumberLocator } from '../../shared/companyNumberLocator';

/**
 * One for the operations of all resources: n8n resolves an expression in it for every item as often
 * as there are fields of its name.
 */
export const companyNumberField = companyNumberLocator({
	displayOptions: {
		show: { resource: ['company', 'webhook'], operation: ['getRecord', 'create'] },
	},
});
