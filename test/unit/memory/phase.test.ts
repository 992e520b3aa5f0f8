// What a trigger is in, and what comes after.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	next,
	phaseNow,
	SIGN_OF_LIFE,
	TRANSITIONS,
	type Phase,
} from '../../../nodes/CompanyRegistry/trigger/memory/phase';

it('is drawn in CONTRIBUTING.md: change the diagram and TRANSITIONS in memory/phase.ts together', () => {
	const text = readFileSync(join(__dirname, '../../../CONTRIBUTING.md'), 'utf8');
	const [, diagram = ''] = /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/.exec(text) ?? [];
	const drawn = [...diagram.matchAll(/(\w+) --> (\w+): (.+)/g)].flatMap(([, from, to, events]) =>
		events.split(', ').map((event) => `${from} --${event}--> ${to}`),
	);
	const typed = Object.entries(TRANSITIONS).flatMap(([from, events]) =>
		Object.entries(events).map(([event, to]) => `${from} --${event}--> ${to}`),
	);
	expect(drawn.sort()).toEqual(typed.sort());
});

it.each<[Phase, Parameters<typeof next>[1], Phase]>([
	[{ name: 'settingUpRest', left: 9 }, 'done', { name: 'published' }],
	[{ name: 'settingUpRest', left: 9 }, 'stop', { name: 'interrupted', left: 3 }],
	// Too late to change anything.
	[{ name: 'pausing' }, 'answer', { name: 'pausing' }],
	[{ name: 'interrupted', left: 9 }, 'done', { name: 'interrupted', left: 3 }],
])('%j, by %s, with three webhooks left: %j', (phase, event, expected) => {
	expect(next(phase, event, 3)).toEqual(expected);
});

// Who works on a trigger stores that again and again: a missed sign of life means that it was stopped.
const INTERRUPTED: Phase = { name: 'interrupted', left: 9 };
it.each<[Phase, Phase]>([
	[{ name: 'publishing', left: 9 }, INTERRUPTED],
	[{ name: 'pausing' }, { name: 'interrupted', left: 0 }],
	[{ name: 'published' }, { name: 'published' }],
	[INTERRUPTED, INTERRUPTED],
])('%j, once a sign of life is missed: %j', (phase, expected) => {
	const ago = (milliseconds: number) => phaseNow({ phase, writtenAt: Date.now() - milliseconds });
	expect(ago(SIGN_OF_LIFE.missedAfter - 1000)).toEqual(phase);
	expect(ago(SIGN_OF_LIFE.missedAfter + 1)).toEqual(expected);
});
