import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

/** Writes a line about this trigger to n8n's log. */
export function warn(context: IHookFunctions | IWebhookFunctions, what: string): void {
	context.logger.warn(`Company Registry Trigger "${context.getNode().name}": ${what}`);
}
