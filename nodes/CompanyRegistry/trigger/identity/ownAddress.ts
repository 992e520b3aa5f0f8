import { addressOf } from './destination';

/** In tests n8n listens elsewhere. */
export const OWN_ADDRESS = {
	/** Where n8n listens unless it is told otherwise: behind many routers it does not reach its public address. */
	local: 'http://127.0.0.1:5678',
};

/** A trigger's URL at the local address of n8n. */
export function localUrl(url: string): string {
	const address = addressOf(url);
	return OWN_ADDRESS.local + url.slice(address.lastIndexOf('/'));
}
