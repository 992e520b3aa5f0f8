import { hookContext, type TestWorkflow } from './contexts';

/** Every line that n8n's logger would write from now on; jest's restoreAllMocks ends it. */
export function captureLog(workflow: TestWorkflow): string[] {
	const lines: string[] = [];
	const { logger } = hookContext(workflow);
	for (const level of ['error', 'warn', 'info'] as const) {
		jest.spyOn(logger, level).mockImplementation((...details: unknown[]) => {
			lines.push(details.map((detail) => JSON.stringify(detail)).join(' '));
		});
	}
	return lines;
}
