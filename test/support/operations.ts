import type { INodePropertyOptions } from 'n8n-workflow';

import { CompanyRegistry } from '../../nodes/CompanyRegistry/CompanyRegistry.node';

/** The action node's operations as the editor offers them, each with its resource. */
export function offeredOperations(): Array<Record<'resource' | 'operation', INodePropertyOptions>> {
	const { properties } = new CompanyRegistry().description;
	const options = (field: string) => properties.filter(({ name }) => name === field);
	const resources = options('resource').flatMap((field) => field.options as INodePropertyOptions[]);
	return options('operation').flatMap((field) => {
		const [shownFor] = field.displayOptions?.show?.resource ?? [];
		const resource = resources.find(({ value }) => value === shownFor);
		if (resource === undefined) throw new Error(`No resource ${String(shownFor)}`);
		return (field.options as INodePropertyOptions[]).map((operation) => ({ resource, operation }));
	});
}
