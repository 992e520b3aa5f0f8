import type { RequestHandler } from 'express';

/** What the service's documentation does not show, answered otherwise than the stand-in does by itself. */
export interface Differences {
	/** Company numbers of digits come without their leading zeros. */
	withoutZeros?: boolean;
}

/** Changes the answers of all that comes after it. */
export function answerDifferently(differences: () => Differences): RequestHandler {
	return (_req, res, next) => {
		const json = res.json.bind(res);
		res.json = (body: unknown) => json(differences().withoutZeros ? dropZeros(body) : body);
		next();
	};
}

function dropZeros(body: unknown): unknown {
	const drop = (key: string, value: unknown) =>
		key === 'company_number' ? String(value).replace(/^0+(?=\d+$)/, '') : value;
	return JSON.parse(JSON.stringify(body, drop));
}
