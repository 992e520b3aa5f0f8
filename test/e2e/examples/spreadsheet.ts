import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const WRITE_FILE = `
	const { utils, write } = require('@e965/xlsx');
	const [rows, bookType] = process.argv.slice(1);
	const book = utils.book_new();
	utils.book_append_sheet(book, utils.json_to_sheet(JSON.parse(rows)), 'Portfolio');
	process.stdout.write(write(book, { type: 'buffer', bookType }));
`;

/**
 * The bytes of a spreadsheet file with these rows under a row of headings; a CSV file begins with a
 * byte order mark, as Excel's do. The library is the one that n8n brings, which jest must not see.
 */
export function spreadsheet(
	rows: Array<Record<string, string | number>>,
	format: 'xlsx' | 'csv',
): Buffer {
	const cwd = join(__dirname, '../../n8n-host');
	return execFileSync(process.execPath, ['-e', WRITE_FILE, JSON.stringify(rows), format], { cwd });
}
