import type { Browser, Page } from 'playwright-core';

import type { Mail } from '../examples/mailServer';
import { SCENE } from './screenshots';

/** Shows a mail in plain text, in a window of its own. */
export async function showMail(browser: Browser, { subject, from, to, text }: Mail): Promise<Page> {
	const deviceScaleFactor = process.env.TEST_SCREENSHOTS === 'docs' ? 2 : 1;
	const mailPage = await browser.newPage({ viewport: SCENE, deviceScaleFactor });
	await mailPage.setContent(`<!doctype html>
		<style>
			body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff }
			header { padding: 14px 28px 12px; border-bottom: 1px solid #ddd; background: #f7f7f8 }
			h1 { margin: 0 0 6px; font-size: 22px }
			header div { color: #666 }
			pre { margin: 12px 28px; max-height: 16lh; overflow: hidden; font: inherit; white-space: pre-wrap }
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
