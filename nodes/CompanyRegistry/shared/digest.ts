import { createHash } from 'crypto';

/** SHA-256 in base64url: 43 characters of six bits each, or so many of them. */
export function digestOf(content: string | Buffer, length?: number): string {
	return createHash('sha256').update(content).digest('base64url').slice(0, length);
}
