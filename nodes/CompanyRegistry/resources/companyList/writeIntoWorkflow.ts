import { isEqual, omit, partition } from 'lodash';
import { jsonParse, type INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { readListText, withoutRepeats, type Listed } from '../../lists/readList';
import { describeUnreadable, named, problemOf, unreadableRows } from '../../lists/words';
import { readOption, refuseValue } from '../readParameters';
import type { Item, Operation } from '../run';
import { pastedOf, pastedText, type Pasted } from './pastedTable';
import { readSource, refuseUnreadable, sourceFields } from './source';

const TRIGGER = /\.companyRegistryTrigger$/;

const workflowField: INodeProperties = {
	displayName: 'Workflow',
	name: 'workflow',
	type: 'string',
	required: true,
	default: '',
	placeholder: "e.g. the item of n8n's own node",
	description:
		"The workflow whose Company Registry Trigger gets the companies, as n8n's own node returns it",
};

const removeAtMostField: INodeProperties = {
	displayName: 'Remove at Most (%)',
	name: 'removeAtMost',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 100 },
	default: 50,
	description:
		'How many of the watched companies may go at once. A list that has lost more is refused: it may be cut off.',
};

const unreadableRowsField: INodeProperties = {
	displayName: 'Unreadable Rows',
	name: 'unreadableRows',
	type: 'options',
	options: [
		{ name: 'Fail', value: 'fail', description: 'Change nothing, and name all of them' },
		{ name: 'Leave Out', value: 'leaveOut', description: 'Go on without them, and put them out' },
	],
	default: 'fail',
	description: 'What to do with rows that hold no company number, such as a sole trader or a total',
};

const nodeSchema = z
	.object({
		type: z.string(),
		disabled: z.boolean().optional(),
		parameters: z.record(z.string(), z.unknown()).default({}),
	})
	.passthrough();
const versionSchema = z.object({
	nodes: z.array(nodeSchema),
	connections: z.record(z.string(), z.unknown()),
});
/** As n8n's API returns a workflow: what is saved, and in it what is published. */
const workflowSchema = versionSchema.extend({
	name: z.string(),
	activeVersion: versionSchema.nullish(),
});
type Node = z.output<typeof nodeSchema>;
type Version = z.output<typeof versionSchema>;

export const writeIntoWorkflow = {
	option: {
		name: 'Write Into Workflow',
		value: 'writeIntoWorkflow',
		description: 'Put a list of companies into the trigger of a workflow, to be published again',
		action: 'Write company list into workflow',
	},
	takesTable: true,
	isOffline: true,
	fields: [...sourceFields, workflowField, removeAtMostField, unreadableRowsField],
	prepare: (item) => {
		const all = readSource(item);
		const chosen = item.parameter('unreadableRows', 'fail');
		if (readOption(item, unreadableRowsField, chosen) === 'fail') {
			const otherwise = "Nothing was changed. Or set 'Unreadable Rows' to 'Leave Out'.";
			refuseUnreadable(item, all, otherwise);
		}
		const [listed, unreadable] = partition(
			withoutRepeats(all),
			({ number }) => number !== undefined,
		);
		const { name, activeVersion, ...saved } = readWorkflow(item);
		const watched = readWatched(item, `"${name}"`, saved, activeVersion);
		const wanted = pastedOf(listed).map((one) => ({
			...one,
			company_name: one.company_name ?? watched.get(one.company_number)?.company_name ?? null,
		}));
		const numbers = new Set(wanted.map(({ company_number }) => company_number));
		const removed = [...watched.values()].filter((one) => !numbers.has(one.company_number));
		checkLoss(item, removed.length, watched.size, numbers.size);
		if (removed.length > 0) checkUnreadable(item, unreadable, removed);
		const [stay, added] = partition(wanted, ({ company_number }) => watched.has(company_number));
		const [same, renamed] = partition(
			stay,
			(one) => watched.get(one.company_number)?.company_name === one.company_name,
		);
		const [unchanged, updated] = partition(same, (one) =>
			isEqual(watched.get(one.company_number)?.details, one.details),
		);

		const companyNumbers = pastedText(wanted);
		const nodes = saved.nodes.map((node) =>
			isTrigger(node) ? { ...node, parameters: { ...node.parameters, companyNumbers } } : node,
		);
		return async () => [
			{
				// Settings that are not sent stay as they are.
				workflow: { name, nodes, connections: saved.connections, settings: {} },
				added: added.map(shown),
				removed: removed.map(shown),
				renamed: renamed.map(shown),
				updated: updated.map(shown),
				unchanged: unchanged.length,
				left_out: unreadable.map((one) => ({
					company_name: one.name,
					row_number: one.row,
					problem: problemOf(one),
				})),
				is_changed: unchanged.length < wanted.length || removed.length > 0,
			},
		];
	},
} satisfies Operation;

function readWorkflow(item: Item) {
	const value = item.parameter('workflow', '');
	const workflow = typeof value === 'string' ? jsonParse(value, { fallbackValue: null }) : value;
	const parsed = workflowSchema.safeParse(workflow);
	if (parsed.success) return parsed.data;
	const next = "Use what n8n's own node returns with its operation 'Get Workflow'.";
	throw refuseValue(item, workflowField, value, next);
}

function shown({ company_number, company_name }: Pasted) {
	return { company_number, company_name };
}

/**
 * The companies with which the workflow is published, by number.
 * @throws NodeOperationError where the list of its trigger cannot be replaced and published
 */
function readWatched(
	item: Item,
	name: string,
	saved: Version,
	published: Version | null | undefined,
): Map<string, Pasted> {
	const refuse = (what: string, description: string) =>
		item.refuse({ message: `${what}, so nothing was changed`, description });
	if (!published) throw refuse(`${name} is not published`, 'Publish it in n8n, then try again.');
	const triggers = published.nodes.filter(isTrigger);
	if (triggers.length !== 1) {
		const what = `${name} is published with ${triggers.length} Company Registry Triggers`;
		throw refuse(what, 'Keep one in it and publish it.');
	}
	const { companiesFrom, companyNumbers } = triggers[0].parameters;
	const text = typeof companyNumbers === 'string' ? companyNumbers : '=';
	const list = readListText(text);
	if (companiesFrom !== 'numbers' || text.startsWith('=') || 'candidates' in list) {
		throw refuse(
			`The companies of ${name} are not pasted numbers`,
			"Set 'Companies From' of its trigger to 'Company Numbers', paste one number and publish it.",
		);
	}
	if (!isEqual(withoutCompanies(saved), withoutCompanies(published))) {
		throw refuse(
			`${name} has changes that are saved and not published`,
			'Publish or discard them, then try again.',
		);
	}
	const companies = withoutRepeats(list.listed).filter(({ number }) => number !== undefined);
	return new Map(pastedOf(companies).map((one) => [one.company_number, one]));
}

/** @throws NodeOperationError for a list that is empty or has lost too many of the watched companies */
function checkLoss(item: Item, removed: number, watched: number, left: number): void {
	if (left === 0) {
		throw item.refuse({
			message: 'The list has no company, so nothing was changed',
			description: 'Check the step before this one. To stop watching, unpublish the workflow.',
		});
	}
	const atMost = item.parameter('removeAtMost', 50);
	const percent = Number(atMost);
	if (!(percent >= 0 && percent <= 100)) {
		throw refuseValue(item, removeAtMostField, atMost, 'Use a number from 0 to 100.');
	}
	if (removed * 100 <= watched * percent) return;
	throw item.refuse({
		message: `${removed} of ${watched} watched companies are not in the list any more, so nothing was changed`,
		description: `Check that the list is whole. If they are to go, set '${removeAtMostField.displayName}' to 100 for one run.`,
	});
}

/**
 * A company that is watched must not be given up because its cell went wrong.
 * @throws NodeOperationError where companies would go while rows hold what may be their numbers
 */
function checkUnreadable(item: Item, unreadable: Listed[], removed: Pasted[]): void {
	const suspects = unreadableRows(unreadable).filter(({ mayBeNumber }) => mayBeNumber);
	if (suspects.length === 0) return;
	const gone = removed.map(({ company_number, company_name }) =>
		[company_number, company_name].filter(Boolean).join(' '),
	);
	throw item.refuse({
		message: `Rows that cannot be read may be watched companies, so nothing was changed: ${describeUnreadable(suspects)}`,
		description: `Not in the list any more: ${named(gone)}. If one of the rows is such a company, correct its number. If not, delete what stands in place of the number.`,
	});
}

/** What else is published with the companies; where nodes lie on the canvas makes no difference. */
function withoutCompanies({ nodes, connections }: Version): object {
	const rest = nodes.map((node) =>
		omit(node, isTrigger(node) ? ['position', 'parameters.companyNumbers'] : 'position'),
	);
	return { rest, connections };
}

function isTrigger({ type, disabled }: Pick<Node, 'type' | 'disabled'>): boolean {
	return TRIGGER.test(type) && !disabled;
}
