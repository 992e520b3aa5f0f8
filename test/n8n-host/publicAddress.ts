/**
 * What tells an n8n that the world reaches it at `publicUrl`, an https address without a trailing
 * slash, through one reverse proxy. Both names of the setting are given: n8n took the second one
 * before 2.40.
 */
export function behindProxy(publicUrl: string): Record<string, string> {
	return {
		N8N_WEBHOOK_URL: `${publicUrl}/`,
		WEBHOOK_URL: `${publicUrl}/`,
		N8N_PROXY_HOPS: '1',
	};
}
