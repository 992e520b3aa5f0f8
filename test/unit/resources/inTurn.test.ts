import { setTimeout as sleep } from 'node:timers/promises';

import { inTurn } from '../../../nodes/CompanyRegistry/resources/shared/inTurn';

it('runs tasks of one key in order and those of different keys side by side', async () => {
	const events: string[] = [];
	const task = (name: string, ms: number) => async () => {
		events.push(`${name} starts`);
		await sleep(ms);
		events.push(`${name} ends`);
	};
	await Promise.all([
		inTurn('one', task('a', 30)),
		inTurn('one', task('b', 0)),
		inTurn('two', task('c', 0)),
	]);
	expect(events).toEqual(['a starts', 'c starts', 'c ends', 'a ends', 'b starts', 'b ends']);
});

it('goes on after a task that fails, and hands its failure to its caller only', async () => {
	const failing = inTurn('three', async () => await Promise.reject(new Error('no')));
	const following = inTurn('three', async () => 'done');
	await expect(failing).rejects.toThrow('no');
	await expect(following).resolves.toBe('done');
});
