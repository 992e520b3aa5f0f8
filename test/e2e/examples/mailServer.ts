import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';

import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

import { listen } from '../../n8n-host/ports';
import { waitFor } from '../../n8n-host/waitFor';

export interface Mail {
	subject: string;
	/** Its plain text. */
	text: string;
	/** Empty for a mail in plain text. */
	html: string;
	from: string;
	to: string[];
}

/** What a mail server answers that cannot take a mail now, or never will. */
const LATER = 450;
export const NEVER = 550;

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** An SMTP server that accepts mails to any address, with a user and a password. */
export async function startMailServer() {
	const mails: Mail[] = [];
	let refusalOf: (mail: Mail) => number | boolean = () => false;
	const refused: string[] = [];

	const server = new SMTPServer({
		hideSTARTTLS: true,
		allowInsecureAuth: true,
		onAuth: ({ username, password }, _session, callback) => {
			const isKnown = username === 'mailer' && password === 'of-the-tests';
			callback(isKnown ? null : new Error('Unknown user'), { user: username });
		},
		onData: (stream, { envelope }, callback) => {
			void buffer(stream).then(async (content) => {
				const { subject = '', text = '', html = '' } = await PostalMime.parse(content);
				const from = envelope.mailFrom ? envelope.mailFrom.address : '';
				const to = envelope.rcptTo.map(({ address }) => address);
				const mail = { subject, text, html, from, to };
				const refusal = refusalOf(mail);
				if (refusal) {
					refused.push(subject);
					const responseCode = refusal === true ? LATER : refusal;
					return callback(Object.assign(new Error('The mailbox is full'), { responseCode }));
				}
				mails.push(mail);
				callback();
			});
		},
	});
	// A client that is killed breaks its connection off.
	server.on('error', () => {});
	const port = await listen(server.server);

	return {
		/** Data of an SMTP credential. */
		credential: {
			user: 'mailer',
			password: 'of-the-tests',
			host: '127.0.0.1',
			port,
			secure: false,
			disableStartTls: true,
		},
		/** What has arrived, in order. */
		mails,
		/** Subjects of those that it has refused. */
		refused,
		/** Refuses these mails until `accept`, with this code or else for now; all unless told. */
		refuse(isMeant: typeof refusalOf = () => true) {
			refusalOf = isMeant;
		},
		/** Does not answer until `start`. */
		async stop() {
			server.server.close();
			await once(server.server, 'close');
		},
		start: async () => void (await listen(server.server, port)),
		accept() {
			refusalOf = () => false;
		},
		/** Waits for that many mails after the first `known`, and answers them. */
		async next(count = 1, known = mails.length) {
			await waitFor(`${count} more mails`, () => mails.length >= known + count);
			return mails.slice(known);
		},
		async close() {
			await new Promise<void>((resolve) => server.close(resolve));
		},
	};
}
