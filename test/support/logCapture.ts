import { hookContext, type TestWorkflow } from './contexts';
import type { SavedWorkflow } from './savedWorkflow';

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

/** The messages of what is logged as a warning from now on, in place of printing it; ended likewise. */
export function warnings(workflow: SavedWorkflow): () => string[] {
	const { logger } = hookContext(workflow.load());
	const warn = jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
	return () => warn.mock.calls.map(([message]) => message);
}
