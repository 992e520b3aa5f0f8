import type { AccountHandler } from '../authentication';
import { companies } from '../companies';
import { searchQuery } from '../schemas';
import { refuseInvalid } from '../serviceError';

/** GET /v1/search: companies whose name contains the text or whose number begins with it. */
export const search: AccountHandler = (_account, req, res) => {
	const query = searchQuery.safeParse(req.query);
	if (!query.success) return refuseInvalid(res, query.error);
	const text = query.data.q.toUpperCase();
	const items = companies
		.filter(
			({ company_name, company_number }) =>
				company_name.toUpperCase().includes(text) || company_number.startsWith(text),
		)
		.slice(0, query.data.items_per_page);
	res.json({ data: { items } });
};
