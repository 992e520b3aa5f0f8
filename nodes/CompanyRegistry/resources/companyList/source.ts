import type { INodeProperties } from 'n8n-workflow';

import type { List, ListRow } from '../../lists/list';
import { readListItems, readListText } from '../../lists/readList';
import { readOption, readText } from '../readParameters';
import type { Item } from '../run';

const sourceField: INodeProperties = {
	displayName: 'Source',
	name: 'source',
	type: 'options',
	options: [
		{ name: 'Input Items', value: 'items', description: 'Each item is a row of the list' },
		{ name: 'Text', value: 'text', description: 'Numbers, or the rows of a spreadsheet' },
	],
	default: 'items',
	description: 'Where the companies are listed',
};

const textField: INodeProperties = {
	displayName: 'Text',
	name: 'text',
	type: 'string',
	typeOptions: { rows: 4 },
	required: true,
	default: '',
	placeholder: 'e.g. 99000001, SC990001',
	description:
		'Company numbers separated by commas, spaces or new lines, or the rows of a spreadsheet with their headings',
	displayOptions: { show: { source: ['text'] } },
};

export const sourceFields = [sourceField, textField];

/** @throws NodeOperationError where it is not clear which column holds the numbers */
export function readSource(item: Item): ListRow[] {
	const isText = readOption(item, sourceField, item.parameter('source', 'items')) === 'text';
	if (!isText) return listedIn(item, readListItems(item.rows));
	const texts = item.all.map((one) => readText(one, textField, one.parameter('text', '')));
	return item.all.flatMap((one, index) =>
		// One that is the same for all items is read once.
		texts.indexOf(texts[index]) < index
			? []
			: listedIn(one, readListText(texts[index])).map((row) => ({ ...row, item: index })),
	);
}

function listedIn(item: Item, list: List): ListRow[] {
	if ('listed' in list) return list.listed;
	throw item.refuse(list);
}
