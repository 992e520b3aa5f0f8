import { hookContext } from './contexts';
import type { SavedWorkflow } from './savedWorkflow';

/** Records what is logged as a warning from now on, in place of printing it; jest restores it. */
export function warnings(workflow: SavedWorkflow): () => string[] {
	const { logger } = hookContext(workflow.load());
	const warn = jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
	return () => warn.mock.calls.map(([message]) => message);
}
