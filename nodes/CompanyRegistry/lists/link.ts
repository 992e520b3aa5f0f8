export async function readLink(): Promise<never> {
	throw new Error('x');
}
export function tableText(): string {
	return '';
}
