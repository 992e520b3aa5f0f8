// Tasks that share a key run one after the other.
import { setTimeout as sleep } from 'node:timers/promises';

import { oneAtATime } from '../../../nodes/CompanyRegistry/resources/shared/oneAtATime';

it('runs tasks of one key in order and those of different keys side by side', async () => {
	const events: string[] = [];
	const task = (name: string, ms: number) => async () => {
		events.push(`${name} starts`);
		await sleep(ms);
		events.push(`${name} ends`);
	};
	await Promise.all([
		oneAtATime('one', task('a', 30)),
		oneAtATime('one', task('b', 0)),
		oneAtATime('two', task('c', 0)),
	]);
	expect(events).toEqual(['a starts', 'c starts', 'c ends', 'a ends', 'b starts', 'b ends']);
});

it('goes on after a task that fails, and hands its failure to its caller only', async () => {
	const failing = oneAtATime('three', async () => await Promise.reject(new Error('no')));
	const following = oneAtATime('three', async () => 'done');
	await expect(failing).rejects.toThrow('no');
	await expect(following).resolves.toBe('done');
});
