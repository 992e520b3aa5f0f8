// So many tasks run at once, and the first failure stops those that have not begun.
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { concurrently } from '../../../nodes/CompanyRegistry/shared/async';

const ITEMS = Array.from({ length: 30 }, (_, index) => index);

describe('concurrently', () => {
	it('does every item once, in order, and never more than the limit at once', async () => {
		const begun: number[] = [];
		let atOnce = 0;
		let most = 0;
		await concurrently(ITEMS, 7, async (item) => {
			begun.push(item);
			most = Math.max(most, ++atOnce);
			await sleep(item % 3);
			atOnce--;
		});
		expect(begun).toEqual(ITEMS);
		expect(most).toBe(7);
	});

	it('begins nothing after a rejection, waits for what was begun, and throws the first', async () => {
		const begun: number[] = [];
		const ended: number[] = [];
		const events = new EventEmitter();
		const result = concurrently(ITEMS, 4, async (item) => {
			begun.push(item);
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
		expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
		expect(ended).toEqual([0, 1, 2, 3, 4, 7]);
	});
});
