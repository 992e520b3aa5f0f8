/** Keeps a memory of the process bounded: what was added first goes first. */
export function dropOldest(collection: Map<string, unknown> | Set<string>, maximum: number): void {
	for (const oldest of collection.keys()) {
		if (collection.size <= maximum) return;
		collection.delete(oldest);
	}
}
