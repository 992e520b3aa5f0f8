// The words that users read: labels, descriptions, errors and spelling.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { CompanyRegistryApi } from '../../../credentials/CompanyRegistryApi.credentials';
import { CompanyRegistrySessionApi } from '../../../credentials/CompanyRegistrySessionApi.credentials';
import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { entriesOf, fieldsOf, typedIn, wordsAround, wordsOf } from '../../support/describedFields';
import { errorTexts } from '../../support/errorTexts';

const forms = [
	new CompanyRegistry().description,
	new CompanyRegistryTrigger().description,
	new CompanyRegistryApi(),
	new CompanyRegistrySessionApi(),
];

/** What only people who write software say. The trigger's Signature option is for them. */
const jargon =
	/\b(hmac|sha-?\d+|payloads?|idempot\w+|endpoints?|headers?|base64|hex|utf-?8|json|jwt|regex\w*|strings?|arrays?|booleans?|null|parse[ds]?|query parameters?|static data)\b/i;

/** How a sentence begins that tells a person what to do. */
const nextStep =
	/(^|[.:;…] ?|, )(Add|Ask|Check|Choose|Copy|Correct|Enter|Keep|Log in|Open|Publish|Set|Try|Wait)\b/;

describe.each(forms.map((form) => [form.name, form] as const))('%s', (_name, form) => {
	const fields = fieldsOf(form.properties);

	test('every field has a label', () => {
		expect(fields.filter(({ property }) => !/\w/.test(property.displayName))).toEqual([]);
	});

	test('every field is described, or each of its entries or inner fields is', () => {
		const bare = fields.filter(({ property }) => {
			const { type, description = '' } = property;
			if (type === 'notice' || description !== '') return false;
			const entries = entriesOf(property);
			const isCollection = type === 'collection' && property.options?.length;
			return !isCollection && (entries.length === 0 || entries.some((entry) => !entry.description));
		});
		expect(bare.map(({ path }) => path)).toEqual([]);
	});

	test('a description says more than the label', () => {
		const empty = fields
			.map(({ path, property }) => ({
				path,
				label: property.displayName,
				text: property.description,
			}))
			.concat(
				fields.flatMap(({ path, property }) =>
					entriesOf(property).map(({ name, description }) => ({
						path,
						label: name,
						text: description,
					})),
				),
			)
			.filter(({ label, text }) => text !== undefined && newWords(label, text) < 2);
		expect(empty).toEqual([]);
	});

	test('a field to type in shows what its value looks like', () => {
		const silent = fields
			.flatMap(typedIn)
			.filter(({ placeholder = '' }) => !/\w/.test(placeholder));
		expect(silent).toEqual([]);
	});

	test('no jargon outside the Signature option', () => {
		const spoken = fields
			.filter(({ path }) => !path.startsWith('options.signature.'))
			.flatMap(({ property }) => wordsOf(property));
		expect([...wordsAround(form), ...spoken].filter((text) => jargon.test(text))).toEqual([]);
	});
});

/** How many words of the description, short ones aside, the label does not have already. */
function newWords(label: string, description: string): number {
	const words = (text: string) => text.toLowerCase().match(/[a-z]{3,}/g) ?? [];
	const known = new Set(words(label));
	return words(description).filter((word) => !known.has(word)).length;
}

describe('errors', () => {
	const texts = errorTexts();

	test('tell what happened and what to do next', () => {
		const silent = texts.filter(({ message, description }) => {
			const last = description ?? message;
			// Ends with the words of another error, which is checked where it is written.
			return !/(^|\. )…\.?$/.test(last) && !nextStep.test(last);
		});
		expect(silent).toEqual([]);
	});

	test('are found by this test', () => {
		expect(texts.length).toBeGreaterThan(20);
	});
});

test('the spelling is British throughout the documents and the nodes', () => {
	const repository = join(__dirname, '../../..');
	const cspell = join(repository, 'node_modules/cspell/bin.mjs');
	const found = spellingMistakes(cspell, repository);
	expect(found).toBe('');
}, 120_000);

/** Files that cspell has read as they are now, with the same dictionaries, are not read again. */
const onlyChanged = ['--cache', '--cache-strategy=content', '--cache-location=.cache/cspell'];

/** One line for each word that is not in the dictionaries; cspell ends with 1 where there are any. */
function spellingMistakes(cspell: string, cwd: string): string {
	const args = [cspell, 'lint', '--no-progress', '--no-summary', '--no-color', ...onlyChanged];
	try {
		return execFileSync(process.execPath, args, { cwd, encoding: 'utf8' });
	} catch (error) {
		const { status, stdout } = error as { status: number | null; stdout: string };
		if (status !== 1 || stdout === '') throw error;
		return stdout;
	}
}
