/** The value with each of these texts replaced, wherever it stands. */
export function hide<Value>(value: Value, secrets: Map<string, string>): Value {
	const replaceIn = (text: string) =>
		[...secrets].reduce((shown, [secret, word]) => shown.replaceAll(secret, word), text);
	return JSON.parse(
		JSON.stringify(value, (_key, one: unknown) => (typeof one === 'string' ? replaceIn(one) : one)),
	) as Value;
}

/** Letters and digits of which nothing is left but how many they are, and of which kind. */
export function shapeOf(text: string): string {
	return text.replace(/[\w+/-]{4,}={0,2}/g, (run) => {
		if (/^[a-z]{1,12}$/.test(run)) return run;
		const isHex = /^[\da-f]+$/i.test(run);
		const kind = /^\d+$/.test(run) ? 'digits' : isHex ? 'hex' : 'characters';
		return `<${run.length} ${kind}>`;
	});
}

const SAME_FOR_ALL = ['content-type', 'content-encoding', 'user-agent'];
/** Of the connection, of one body, and of proxies, which are those of whoever records. */
const OF_THE_WAY =
	/^(?:host|connection|content-length|transfer-encoding|via|forwarded|x-forwarded-|x-real-ip|cf-|traceparent)/;

/** Names in lower case. */
export function headerShapes(headers: Record<string, string | string[] | undefined>) {
	const sent = Object.entries(headers).filter(([name]) => !OF_THE_WAY.test(name));
	return Object.fromEntries(
		sent.map(([name, value]) => {
			const text = String(value);
			return [name, SAME_FOR_ALL.includes(name) ? text : shapeOf(text)];
		}),
	);
}
