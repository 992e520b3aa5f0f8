import dns from 'node:dns';
import tls from 'node:tls';

import { generate } from 'selfsigned';

/** A public name, as far as this process is concerned: loopback addresses are none for the service. */
export const OWN_HOST = 'n8n.test';

export interface OwnAddress {
	/** For servers at {@link OWN_HOST} and at 127.0.0.1, in PEM form. */
	cert: string;
	key: string;
	/** Nothing leads there any more, once all have been closed. */
	close(): void;
}

const { lookup } = dns;
const { createSecureContext } = tls;
let users = 0;
let certificate: Promise<Pick<OwnAddress, 'cert' | 'key'>> | undefined;

/** From now on this process finds {@link OWN_HOST} at 127.0.0.1, and trusts the certificate. */
export async function openOwnAddress(): Promise<OwnAddress> {
	certificate ??= makeCertificate();
	const { cert, key } = await certificate;
	if (users++ === 0) leadHere(cert);
	return {
		cert,
		key,
		close: () => {
			if (--users > 0) return;
			Object.assign(dns, { lookup });
			tls.createSecureContext = createSecureContext;
		},
	};
}

async function makeCertificate(): Promise<Pick<OwnAddress, 'cert' | 'key'>> {
	const altNames = [
		{ type: 2 as const, value: OWN_HOST },
		{ type: 7 as const, ip: '127.0.0.1' },
	];
	const { cert, private: key } = await generate([{ name: 'commonName', value: OWN_HOST }], {
		keyType: 'ec',
		algorithm: 'sha256',
		extensions: [{ name: 'subjectAltName', altNames }],
	});
	return { cert, key };
}

/** Node's own modules are the same for all that is loaded, n8n's helpers too. */
function leadHere(cert: string): void {
	Object.assign(dns, {
		lookup: (name: string, ...others: unknown[]) => {
			Reflect.apply(lookup, dns, [name === OWN_HOST ? '127.0.0.1' : name, ...others]);
		},
	});
	tls.createSecureContext = (options) => {
		const made = createSecureContext(options);
		(made.context as { addCACert(ca: string): void }).addCACert(cert);
		return made;
	};
}
