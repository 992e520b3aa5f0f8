import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	IHookFunctions,
	IHttpRequestOptions,
	ITriggerFunctions,
} from 'n8n-workflow';

import { allowedAddress, isLoopback, onStatus } from '../registry/credential';
import { decode, isBinary, itemsIn } from './content';
import type { List } from './list';
import { readListItems, readListText } from './readList';

/** Tests use smaller ones. */
export const LINK_LIMIT = {
	/** Counted after decompression. */
	bytes: 5_000_000,
	/** For all redirects together, in milliseconds. */
	inAll: 30_000,
	redirects: 5,
};
const REDIRECTS = [301, 302, 303, 307, 308];
const CREDENTIAL = "the 'Company Registry List API' credential";
const INVALID_LINK = `The link is not an https address. Open ${CREDENTIAL} and enter the whole address of the list, for example https://example.com/clients.csv.`;
/** Where the node has no such credential. */
export const NO_LINK = `No link is chosen. Open the node and choose or create ${CREDENTIAL}, which has the link to your list.`;
const CHECK_LINK = `Check the link in ${CREDENTIAL}.`;
const SHARE = 'share the list so that n8n can download it without signing in.';
/** Refusals by the server, each with its meaning and the next step. */
const REFUSALS = [
	{
		statuses: [401, 403],
		meaning: 'The server refuses access.',
		step: `Check the header in ${CREDENTIAL}, or ${SHARE}`,
	},
	{
		statuses: [404, 410],
		meaning: 'The server has nothing at this link.',
		step: `${CHECK_LINK} If a workflow serves the list, it may be unpublished: publish it.`,
	},
];

/** Makes n8n's helper answer with a stream, whatever the status. */
const AS_STREAM = {
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
} as const;

/** A full answer of n8n's helper with a stream as its body. */
interface Answer {
	statusCode: number;
	headers: { location?: string };
	body: AsyncIterable<Buffer> & { destroy(): void };
}

/** Why a link gives no list, and what to do about it. It names the link's host only and has no cause. */
export class LinkFailure extends Error {
	/** @param isTemporary whether the next check may find the list: no answer came, or the server is busy */
	constructor(
		message: string,
		readonly isTemporary = false,
	) {
		super(message);
	}
}

function linkOf({ url }: ICredentialDataDecryptedObject): URL | undefined {
	return allowedAddress(String(url ?? '').trim());
}

/** The credential's header if it has one and the address is of the link's own origin. */
function headerFor(credential: ICredentialDataDecryptedObject, address: URL) {
	const name = String(credential.headerName ?? '').trim();
	const isOwn = address.origin === linkOf(credential)?.origin;
	return name && isOwn ? { [name]: String(credential.headerValue ?? '').trim() } : {};
}

/**
 * Reads the list behind the credential `companyRegistryListApi`. The caller hands its data in, because n8n's
 * lint refuses a request beside `getCredentials`.
 * @throws LinkFailure
 */
export async function readLink(
	{ helpers }: IHookFunctions | ITriggerFunctions,
	credential: ICredentialDataDecryptedObject,
): Promise<List> {
	const link = linkOf(credential);
	if (link === undefined) throw new LinkFailure(INVALID_LINK);

	const abortSignal = AbortSignal.timeout(LINK_LIMIT.inAll);
	let address: URL | undefined = link;

	for (let redirects = 0; address && redirects <= LINK_LIMIT.redirects; redirects++) {
		const { host, href } = address;
		const noAnswer = (reason: unknown) =>
			Promise.reject(failureOf(host, abortSignal.aborted ? 'no answer in time' : reason));

		const limits = { timeout: LINK_LIMIT.inAll, abortSignal };
		const request = { url: href, headers: headerFor(credential, address), ...limits };
		const answer: Answer = await helpers.httpRequest({ ...request, ...AS_STREAM }).catch(noAnswer);
		const { statusCode, headers, body } = answer;
		if (statusCode >= 200 && statusCode < 300) {
			return readContent(await readStream(body, host).catch(noAnswer), host);
		}

		body.destroy();
		if (!REDIRECTS.includes(statusCode)) throw statusFailure(host, statusCode);
		address = redirectedTo(headers.location, address, link);
	}

	throw new LinkFailure(
		`The link to ${link.host} redirects too often, or to an address that is not https or is on this machine. Enter the final address of the list in ${CREDENTIAL}.`,
	);
}

/** @throws LinkFailure as soon as it is too large */
async function readStream(stream: AsyncIterable<Buffer>, host: string): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let bytes = 0;

	for await (const chunk of stream) {
		bytes += chunk.length;
		if (bytes > LINK_LIMIT.bytes) {
			const most = `${LINK_LIMIT.bytes / 1_000_000} MB`;
			throw new LinkFailure(
				`The list at ${host} is larger than ${most}. Link to a list with fewer rows or columns.`,
			);
		}
		chunks.push(chunk);
	}

	return Buffer.concat(chunks);
}

/** Where an answer redirects to, if a request may go there: from outside, never to this machine. */
function redirectedTo(location: string | undefined, address: URL, link: URL): URL | undefined {
	const target = location ? allowedAddress(location, address.href) : undefined;
	const mayBeLocal = isLoopback(link.hostname);
	return target && (mayBeLocal || !isLoopback(target.hostname)) ? target : undefined;
}

function statusFailure(host: string, status: number): LinkFailure {
	const isTemporary = status >= 500 || [408, 425, 429].includes(status);
	const refusal = REFUSALS.find(({ statuses }) => statuses.includes(status));
	const step = refusal?.step ?? CHECK_LINK;
	return new LinkFailure(`${host} answers with status ${status}. ${step}`, isTemporary);
}

/** Made from the host and a code only: n8n's own error has the address, and may have the header. */
function failureOf(host: string, reason: unknown): LinkFailure {
	if (reason instanceof LinkFailure) return reason;
	if (/restricted IP address/.test(messagesOf(reason))) {
		return new LinkFailure(
			`n8n does not send requests to ${host}, because its address is private. Ask the person who runs n8n to add the address to N8N_SSRF_ALLOWED_IP_RANGES.`,
		);
	}

	const code = typeof reason === 'string' ? reason : (reason as { code?: string }).code;
	const known = code && /^[\w ]+$/.exec(code)?.[0];
	const why = known ? ` (${known})` : '';

	return new LinkFailure(
		`n8n cannot reach ${host}${why}. ${CHECK_LINK} Check n8n's network access, too.`,
		true,
	);
}

/** The messages of an error and its causes, for looking at only. */
function messagesOf(reason: unknown): string {
	return reason instanceof Error ? `${reason.message} ${messagesOf(reason.cause)}` : '';
}

/** @throws LinkFailure for content that is no list */
function readContent(content: Buffer, host: string): List {
	if (isBinary(content)) {
		throw new LinkFailure(
			'The link leads to a file of another format, such as Excel or PDF. It must lead to CSV or JSON.',
		);
	}
	const text = decode(content);
	const [first] = text.trimStart();
	if (first === '<') {
		throw new LinkFailure(
			`The link leads to a web page, perhaps a sign-in page, at ${host}. Use the address that downloads the list, or ${SHARE}`,
		);
	}

	if (first !== '[' && first !== '{') return readListText(text);
	const items = itemsIn(text.trim());
	if (items === undefined) {
		throw new LinkFailure(
			`The list at ${host} looks like JSON, but does not have exactly one array of objects. Send one object for each row, with the headings as keys.`,
		);
	}
	return readListItems(items);
}

/** For n8n's test of the credential. @throws Error for a link that is refused, so that no header goes there */
export async function authenticateLink(
	credential: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const link = linkOf(credential);
	if (link === undefined) throw new Error(INVALID_LINK);
	const headers = { ...options.headers, ...headerFor(credential, link) };
	return { ...options, url: link.href, headers };
}

export const linkRules: ICredentialTestRequest['rules'] = [
	...onStatus(
		REDIRECTS,
		"The link redirects. This test follows no redirect, but the trigger does: check the list with 'Execute step'.",
	),
	...REFUSALS.flatMap(({ statuses, meaning, step }) => onStatus(statuses, `${meaning} ${step}`)),
];
