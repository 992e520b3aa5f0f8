/** Keeps a memory of the process bounded: what was added first goes first. */
export function dropOldest(collection: Map<string, unknown> | Set<string>, maximum: number): void {
	for (const oldest of collection.keys()) {
		if (collection.size <= maximum) return;
		collection.delete(oldest);
	}
}

/** Keeps an entry as the newest, so that what goes on is not dropped. */
export function keepNewest<Value>(
	memory: Map<string, Value>,
	key: string,
	value: Value,
	maximum: number,
): void {
	memory.delete(key);
	memory.set(key, value);
	dropOldest(memory, maximum);
}
