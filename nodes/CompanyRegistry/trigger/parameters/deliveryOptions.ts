import type { IDataObject } from 'n8n-workflow';

import type { CustomScheme } from '../signatures/customScheme';

const DEFAULT_TOLERANCE = 300;

/** The trigger's options as a delivery needs them. */
export interface DeliveryOptions {
	runRepeated: boolean;
	includeRequest: boolean;
	/** Seconds. */
	tolerance: number;
	scheme?: CustomScheme;
}

/** Reads the value of the `options` collection; what is not set has the documented default. */
export function readDeliveryOptions(options: IDataObject): DeliveryOptions {
	const tolerance = Number(options.tolerance ?? DEFAULT_TOLERANCE);
	return {
		runRepeated: options.repeatedDeliveries === 'run',
		includeRequest: options.includeRequest === true,
		tolerance: Number.isFinite(tolerance) && tolerance > 0 ? tolerance : DEFAULT_TOLERANCE,
		scheme: readCustomScheme(options),
	};
}

/** The user's own signature scheme, or undefined for `auto`. */
export function readCustomScheme(options: IDataObject): CustomScheme | undefined {
	const scheme = (options.signature as IDataObject | undefined)?.scheme as IDataObject | undefined;
	if (scheme === undefined) return undefined;
	const headerFormat = text(scheme.headerFormat);
	return {
		header: text(scheme.header),
		...(headerFormat ? { headerFormat } : {}),
		prefix: text(scheme.prefix),
		algorithm: oneOf(['sha256', 'sha512', 'sha1'], scheme.algorithm),
		encoding: oneOf(['hex', 'base64'], scheme.encoding),
		content: text(scheme.content ?? '{body}'),
		timestampHeader: text(scheme.timestampHeader),
		idHeader: text(scheme.idHeader),
		secretEncoding: oneOf(['utf8', 'base64', 'hex'], scheme.secretEncoding),
	};
}

/** The value if it is one of these, else the first of them. */
function oneOf<Value extends string>(values: [Value, ...Value[]], value: unknown): Value {
	return values.find((one) => one === value) ?? values[0];
}

function text(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}
