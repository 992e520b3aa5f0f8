// A failure stops tasks that have not started. test/integration/resources/run.test.ts covers concurrency.
import { EventEmitter, once } from 'node:events';

import { concurrently } from '../../../nodes/CompanyRegistry/shared/async';

const ITEMS = Array.from({ length: 30 }, (_, index) => index);

it('starts nothing after a rejection, waits for started work, and throws the first rejection', async () => {
	const started: number[] = [];
	const ended: number[] = [];
	const events = new EventEmitter();
	const result = concurrently(ITEMS, 4, async (item) => {
		started.push(item);
		if (item === 5) {
			await once(events, 'seventh');
			setImmediate(() => events.emit('later'));
			throw new Error('fifth');
		}
		if (item === 7) events.emit('seventh');
		if (item > 3 && item < 8) await once(events, 'later');
		if (item === 6) throw new Error('sixth');
		ended.push(item);
	});
	await expect(result).rejects.toThrow('fifth');
	expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
	expect(ended).toEqual([0, 1, 2, 3, 4, 7]);
});
