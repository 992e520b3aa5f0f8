const lastTasks = new Map<string, Promise<unknown>>();

/**
 * Runs tasks with the same key one after the other, in the order of the calls, and tasks with
 * different keys at the same time. A task that fails does not hold up the next one.
 */
export async function oneAtATime<Result>(
	key: string,
	task: () => Promise<Result>,
): Promise<Result> {
	const before = lastTasks.get(key) ?? Promise.resolve();
	const mine = before.then(task, task);
	lastTasks.set(key, mine);
	try {
		return await mine;
	} finally {
		if (lastTasks.get(key) === mine) lastTasks.delete(key);
	}
}
