import { createHash } from 'crypto';

/** SHA-256 in base64url, cut to `length` characters of six bits each (43 in full). */
export function digestOf(content: string | Buffer, length?: number): string {
	return createHash('sha256').update(content).digest('base64url').slice(0, length);
}
