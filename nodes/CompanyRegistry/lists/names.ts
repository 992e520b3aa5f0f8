import { singleLine } from '../shared/format';
import { readName } from '../shared/companyName';

/** A person, as registers write officers: "DOE, Jane" or "Mrs Jane Doe". */
const PERSON = /^\p{Lu}[\p{Lu}'’ -]+, \p{Lu}\p{Ll}|^(?:Mr|Mrs|Miss|Ms|Dr|Sir|Dame)\b\.? /u;

/** What the cells of a column are to the companies beside them. */
interface Names {
	/** Whether they can be the companies' names. */
	areNames: boolean;
	/** Whether most companies have one. */
	areFilled: boolean;
	/** Numbers with several names, of which each may be someone else's. */
	unclear: Set<string>;
}

/** Judges the cells of a column by the numbers in the same rows, one for each cell. */
export function judgeNames(cells: unknown[], numbers: Array<string | undefined>): Names {
	const nameOf = new Map<string, string>();
	const numberOf = new Map<string, string>();
	const repeated = new Set<string>();
	const unclear = new Set<string>();
	const shared = new Set<string>();
	let [rows, filled, persons] = [0, 0, 0];

	for (const [index, number] of numbers.entries()) {
		if (number === undefined) continue;
		rows += 1;
		const name = singleLine(cells[index]);
		if (name === '') continue;
		filled += 1;
		persons += PERSON.test(name) ? 1 : 0;

		const known = nameOf.get(number) ?? name;
		if (nameOf.has(number)) repeated.add(number);
		if (!isSameName(known, name)) unclear.add(number);
		nameOf.set(number, known);

		const other = numberOf.get(name) ?? number;
		if (other !== number) shared.add(other).add(number);
		numberOf.set(name, other);
	}

	const areOwn = unclear.size * 10 <= repeated.size && shared.size * 2 <= nameOf.size;
	const areNames = areOwn && persons * 2 <= filled && (filled > 0 || rows === 0);
	return { areNames, areFilled: filled * 2 >= rows, unclear };
}

function isSameName(one: string, other: string): boolean {
	return one === other || readName(one).letters === readName(other).letters;
}
