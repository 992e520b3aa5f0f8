import { createHmac, randomBytes, randomUUID } from 'crypto';

import { compact, difference } from 'lodash';
import {
	sleep,
	type IDataObject,
	type IHookFunctions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';

import { describeUnreadable } from '../../lists/words';
import { messageOf, reasonOf } from '../../registry/failure';
import { keepNewest } from '../../shared/dropOldest';
import { choosesStatus } from '../../shared/events';
import { called, named, problemOf, warn } from '../../shared/words';
import { addressOf, withReference } from '../identity/destination';
import { identifyActivated, nameOf, type TriggerIdentity } from '../identity/identity';
import { findStore, type Store } from '../memory/store';
import { readOptions } from '../parameters/options';
import { columnsLeftOut, companyNames, readWatchlist } from '../parameters/watchlist';
import { renumbered, statusItem, type Changes } from '../parameters/watchStatus';
import type { CustomScheme } from '../signatures/customScheme';

/** A webhook made up for a test run. The service knows nothing of it. */
export interface Sample {
	reference: string;
	company: string;
	/** What each event holds: what was read of the list. What a delivery holds is the service's to say. */
	payload: object;
	id: 'sample';
	secret: string;
	/** Those that the node asks for: one for each part of the delivery, whose body names none. */
	events: string[];
	/** The item of *Watch Status*, where that is chosen. */
	status: IDataObject | undefined;
	/** Whether a delivery of it has come to this process, which shows that its address leads here. */
	hasArrived: boolean;
}

/** How this process signs a sample, however the service signs. */
export const SAMPLE_SCHEME: CustomScheme = {
	header: 'webhook-signature',
	prefix: 'v1,',
	algorithm: 'sha256',
	encoding: 'base64',
	content: '{id}.{timestamp}.{body}',
	timestampHeader: 'webhook-timestamp',
	idHeader: 'webhook-delivery-id',
	secretEncoding: 'base64',
};

/** Times in milliseconds; tests wait less, and listen elsewhere. */
export const SAMPLE = {
	/**
	 * Until n8n has stored that it listens and has told the editor so. An editor that hears of the delivery
	 * first does not show it, and keeps waiting.
	 */
	untilListening: 1000,
	/** For an answer of n8n's own address. */
	forAnswer: 5000,
	/** Where n8n listens unless it is told otherwise: behind many routers it does not reach its public address. */
	localAddress: 'http://127.0.0.1:5678',
};
/** The sample may come while a slow n8n is still about to listen. */
const MAXIMUM_ATTEMPTS = 5;
const NOT_LISTENING = 404;
/** Far more than people click at once. */
const MAXIMUM_SAMPLES = 1000;

/**
 * By trigger: what is clicked last counts. n8n tells of a test's end when another may have begun, so that
 * nothing ends with it: n8n itself passes nothing on any more.
 */
const awaited = new Map<string, Sample>();

/** The sample that the trigger awaits, if its deliveries have this reference. Constant work. */
export function findSample(trigger: TriggerIdentity, reference: string): Sample | undefined {
	const sample = awaited.get(nameOf(trigger));
	return sample?.reference === reference ? sample : undefined;
}

/**
 * Has a sample of each chosen event delivered, a moment after this returns and n8n listens. Nothing is
 * made at the service, and its credential is not read: this process makes up the reference and the secret.
 * @throws NodeOperationError for parameters that cannot be used, or when n8n cannot deliver to its own address
 */
export async function startSample(context: IHookFunctions): Promise<void> {
	// What cannot be read is shown beside what was: a list can be looked at before it is published.
	const options = { ...readOptions(context), unreadableRows: 'leaveOut' } as const;
	const { companies, events, unreadable, rows, repeated } = readWatchlist(context, options);
	const leftOut = columnsLeftOut(context);
	const identity = identifyActivated(context);
	const trigger = nameOf(identity);
	const published = findStore({ ...identity, kind: 'production' });
	const changes = compareWithPublished(published, companies);
	const names = new Map([...(published?.names ?? []), ...companyNames(context)]);
	const sample: Sample = {
		reference: randomBytes(16).toString('base64url'),
		company: companies[0],
		payload: {
			sample: true,
			rows,
			companies: companies.length,
			repeated,
			unreadable: rows - companies.length - repeated,
			...(unreadable.length > 0 && { unreadable_rows: describeUnreadable(unreadable) }),
			...(leftOut.length > 0 && { columns_left_out: named(leftOut) }),
			first: called(companies[0], names),
			last: called(companies[companies.length - 1], names),
			compared_with_published: changes
				? describeChanges(changes, companies, names)
				: `Not compared: ${whyNotCompared(published)}`,
		},
		id: 'sample',
		secret: randomBytes(32).toString('base64'),
		events,
		status: choosesStatus(context.getNodeParameter('events', []))
			? sampleStatus(companies, changes, names)
			: undefined,
		hasArrived: false,
	};
	keepNewest(awaited, trigger, sample, MAXIMUM_SAMPLES);
	const url = await findAddress(context, sample);
	const isAwaited = () => awaited.get(trigger) === sample;
	deliver(context, sample, url, isAwaited).catch((reason: unknown) =>
		warn(context, `the sample event could not be delivered: ${messageOf(reason)}`),
	);
}

/** What a publish of this list would change; undefined where this process does not know what is published. */
function compareWithPublished(
	published: Store | undefined,
	companies: string[],
): Changes | undefined {
	if (published?.status !== 'published') return undefined;
	const before = [...published.companies];
	return { added: difference(companies, before), removed: difference(before, companies) };
}

function whyNotCompared(published: Store | undefined): string {
	return published?.status === 'unpublished'
		? 'this trigger is not published now'
		: 'this n8n process has not published this trigger';
}

function describeChanges(
	{ added, removed }: Changes,
	companies: string[],
	names: ReadonlyMap<string, string>,
): string {
	const list = (all: string[]) => (all.length === 0 ? 'none' : `${all.length} (${named(all)})`);
	const listed = (all: string[]) => list(all.map((company) => called(company, names)));
	const slips = renumbered(removed, companies, names);
	return compact([
		`Added: ${listed(added)}`,
		`No longer watched: ${listed(removed)}`,
		slips.length > 0 && `Another number under the same name: ${list(slips)}`,
	]).join('. ');
}

/** As it would come if all went well. */
function sampleStatus(
	companies: string[],
	changes: Changes | undefined,
	names: ReadonlyMap<string, string>,
): IDataObject {
	const count = companies.length;
	const summary = `A sample: ${count} of ${count} companies are watched.`;
	const lists = {
		...(changes ?? { added: companies, removed: [] }),
		mended: new Map(),
		left: new Map(),
	};
	const status = { state: 'complete' as const, summary, wanted: count, watched: count, ...lists };
	return statusItem(status, names, Date.now());
}

/**
 * The address at which n8n reaches itself: its own, or else the local one. Found out by a delivery without an
 * event, which starts nothing: only here can the editor still be told. n8n serves the test URL before `create`.
 */
async function findAddress(context: IHookFunctions, sample: Sample): Promise<string> {
	const own = context.getNodeWebhookUrl('default') ?? '';
	const wrong = await tryAddress(context, sample, own);
	if (wrong === undefined) return own;
	const address = addressOf(own);
	const local = SAMPLE.localAddress + own.slice(address.lastIndexOf('/'));
	if ((await tryAddress(context, sample, local)) === undefined) return local;
	// n8n shows the message and nothing else.
	const message = `n8n could not send the sample event to its own webhook address ${address}: ${wrong}. Nor does ${SAMPLE.localAddress} lead to it. Set the environment variable N8N_WEBHOOK_URL to an address at which n8n reaches itself and restart n8n. Or set 'Options' > 'Test Event' to 'Next Real Event'.`;
	throw problemOf(context, message);
}

/** What is wrong with an address; undefined when a delivery that was sent there has come to this process. */
async function tryAddress(
	context: IHookFunctions,
	sample: Sample,
	url: string,
): Promise<string | undefined> {
	try {
		const status = await send(context, sample, url, '[]');
		return sample.hasArrived
			? undefined
			: `an unexpected answer came back (status ${status}), as if the address led elsewhere`;
	} catch (error) {
		return `no answer came (${reasonOf(error)})`;
	}
}

/** @throws what went wrong the last time; nothing once n8n does not listen any more */
async function deliver(
	context: IHookFunctions,
	sample: Sample,
	url: string,
	isAwaited: () => boolean,
): Promise<void> {
	const payloads = sample.events.map(() => sample.payload);
	const body = JSON.stringify(payloads.length === 1 ? payloads[0] : payloads);
	for (let attempt = 1; ; attempt++) {
		await sleep(SAMPLE.untilListening);
		if (!isAwaited()) return;
		const status = await send(context, sample, url, body);
		if (status === 200) return;
		if (attempt < MAXIMUM_ATTEMPTS) continue;
		if (status === NOT_LISTENING) return;
		throw new Error(`n8n answered with status ${status}`);
	}
}

/** The status of the answer to a signed delivery. */
async function send(
	context: IHookFunctions,
	{ reference, secret }: Sample,
	url: string,
	body: string,
): Promise<number> {
	const id = randomUUID();
	const timestamp = String(Math.floor(Date.now() / 1000));
	const signature = createHmac('sha256', secret, { encoding: 'base64' })
		.update(`${id}.${timestamp}.${body}`)
		.digest('base64');
	const { statusCode } = (await context.helpers.httpRequest({
		method: 'POST',
		url: withReference(url, reference),
		body,
		headers: {
			'Content-Type': 'application/json',
			[SAMPLE_SCHEME.idHeader]: id,
			[SAMPLE_SCHEME.timestampHeader]: timestamp,
			[SAMPLE_SCHEME.header]: `${SAMPLE_SCHEME.prefix}${signature}`,
		},
		timeout: SAMPLE.forAnswer,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	})) as IN8nHttpFullResponse;
	return statusCode;
}
