/** Stores an entry as the newest, and drops the oldest entries beyond the maximum. */
export function keepNewest<Value>(
	memory: Map<string, Value>,
	key: string,
	value: Value,
	maximum: number,
): void {
	memory.delete(key);
	memory.set(key, value);
	for (const oldest of memory.keys()) {
		if (memory.size <= maximum) return;
		memory.delete(oldest);
	}
}
