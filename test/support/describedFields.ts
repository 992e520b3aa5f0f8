import type { ICredentialType, INodeProperties, INodeTypeDescription } from 'n8n-workflow';

/** A field of a form in n8n's editor and the names that lead to it, such as `options.tolerance`. */
export interface Field {
	path: string;
	property: INodeProperties;
}

/** Every field, those inside collections included. */
export function fieldsOf(properties: INodeProperties[], parent = ''): Field[] {
	return properties.flatMap((property) => {
		const path = parent === '' ? property.name : `${parent}.${property.name}`;
		return [{ path, property }, ...fieldsOf(innerFields(property), path)];
	});
}

function innerFields({ options = [] }: INodeProperties): INodeProperties[] {
	return options.flatMap((option) => {
		if ('values' in option) return option.values;
		return 'type' in option ? [option as INodeProperties] : [];
	});
}

/** The entries that a person chooses from in this field; none where values are typed in. */
export function entriesOf({
	options = [],
}: INodeProperties): Array<{ name: string; description?: string }> {
	return options.filter((option) => 'value' in option) as Array<{
		name: string;
		description?: string;
	}>;
}

/** The places of this field where a value is typed in, by label and placeholder. */
export function typedIn({ path, property }: Field): Array<{ path: string; placeholder?: string }> {
	if (property.type === 'string') return [{ path, placeholder: property.placeholder }];
	return (property.modes ?? []).map(({ name, placeholder }) => ({
		path: `${path} (${name})`,
		placeholder,
	}));
}

/** All that a person reads of a field. */
export function wordsOf(property: INodeProperties): string[] {
	const { displayName, description, placeholder, hint, modes = [] } = property;
	const entries = entriesOf(property).flatMap(({ name, description: about }) => [name, about]);
	const ofModes = modes.flatMap((mode) => [mode.displayName, mode.placeholder, mode.hint]);
	return [displayName, description, placeholder, hint, ...entries, ...ofModes].filter(
		(text) => typeof text === 'string',
	);
}

/** What a person reads of a node or credential outside its fields. */
export function wordsAround(described: INodeTypeDescription | ICredentialType): string[] {
	if (!('group' in described)) return [described.displayName];
	const { displayName, description, eventTriggerDescription, activationMessage, triggerPanel } =
		described;
	const { header, executionsHelp, activationHint } =
		typeof triggerPanel === 'object' ? triggerPanel : {};
	const help =
		typeof executionsHelp === 'object' ? Object.values(executionsHelp) : [executionsHelp];
	return [
		displayName,
		description,
		eventTriggerDescription,
		activationMessage,
		header,
		...help,
		activationHint,
	].filter((text) => typeof text === 'string');
}
