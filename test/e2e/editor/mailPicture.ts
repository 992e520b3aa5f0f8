import type { Browser, Page } from 'playwright-core';

import type { Mail } from '../examples/mailServer';

/** As large as the mail, in pixels. */
const WINDOW = { width: 900, height: 610 };

/** Shows a mail in plain text as a mail program does, in a window of its own. */
export async function showMail(browser: Browser, { subject, from, to, text }: Mail): Promise<Page> {
	const deviceScaleFactor = process.env.TEST_SCREENSHOTS === 'docs' ? 2 : 1;
	const mailPage = await browser.newPage({ viewport: WINDOW, deviceScaleFactor });
	await mailPage.setContent(`<!doctype html>
		<style>
			body { margin: 0; font: 18px/1.45 system-ui, sans-serif; color: #222; background: #fff }
			header { padding: 20px 28px 14px; border-bottom: 1px solid #ddd; background: #f7f7f8 }
			h1 { margin: 0 0 8px; font-size: 24px }
			header div { color: #666; font-size: 16px }
			pre { margin: 0; padding: 18px 28px; font: inherit; white-space: pre-wrap }
			a { color: #0b57d0 }
		</style>
		<header><h1></h1><div></div></header><pre></pre>`);
	await mailPage.evaluate(
		([title, addresses, body]) => {
			const part = (name: string) => document.querySelector(name)!;
			part('h1').textContent = title;
			part('header div').textContent = addresses;
			part('pre').textContent = body;
			part('pre').innerHTML = part('pre').innerHTML.replace(/https:\S+/, '<a href="$&">$&</a>');
		},
		[subject, `From ${from} to ${to.join(', ')}`, text.trim()],
	);
	return mailPage;
}
