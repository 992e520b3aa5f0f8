import { randomInt } from 'node:crypto';

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** `prefix` followed by `length` random letters and digits. */
export function randomText(prefix: string, length: number): string {
	const characters = Array.from({ length }, () => alphanumerics[randomInt(alphanumerics.length)]);
	return prefix + characters.join('');
}
