import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** Answers a delivery that starts nothing. */
export function answer(
	context: IWebhookFunctions,
	status: number,
	body: IDataObject,
): IWebhookResponseData {
	const response = context.getResponseObject();
	response.statusCode = status;
	response.setHeader('Content-Type', 'application/json; charset=utf-8');
	// response.json() would compute an ETag for each answer.
	response.end(JSON.stringify(body));
	return { noWebhookResponse: true };
}
