// Only who holds the trigger's key can send it a message, and only that trigger, and only as this one.
import type { TriggerIdentity } from '../../../nodes/CompanyRegistry/trigger/identity/identity';
import { newKey, open, seal } from '../../../nodes/CompanyRegistry/trigger/messages/seal';

const key = newKey();
const trigger: TriggerIdentity = { workflow: 'w', node: 'n', kind: 'production' };
const AT = 1_700_000_000_000;
const words = 'Not all é💼 companies';
const sealed = () => seal(key, trigger, AT, { kind: 'tell', words });

it('shows nothing, and never looks the same twice', () => {
	expect(sealed().includes(words)).toBe(false);
	expect(sealed().subarray(0, 12)).not.toEqual(sealed().subarray(0, 12));
	expect(newKey()).not.toBe(key);
});

it.each<[string, () => unknown]>([
	['another key', () => open(newKey(), trigger, AT, sealed())],
	['no key', () => open('', trigger, AT, sealed())],
	['another workflow', () => open(key, { ...trigger, workflow: 'copy' }, AT, sealed())],
	['another node', () => open(key, { ...trigger, node: 'm' }, AT, sealed())],
	['a test of the trigger', () => open(key, { ...trigger, kind: 'test' }, AT, sealed())],
	[
		'names cut elsewhere',
		() => open(key, { ...trigger, workflow: 'w","n', node: '' }, AT, sealed()),
	],
	['another number', () => open(key, trigger, AT + 1, sealed())],
	['no number', () => open(key, trigger, NaN, sealed())],
	['something behind it', () => open(key, trigger, AT, Buffer.concat([sealed(), Buffer.of(0)]))],
])('is not opened with %s', (_what, opened) => {
	expect(opened()).toBeUndefined();
});

it('is not opened when it is cut off, or when any bit of it is another', () => {
	const whole = sealed();
	for (let index = 0; index < whole.length; index++) {
		expect(open(key, trigger, AT, whole.subarray(0, index))).toBeUndefined();
		expect(open(key, trigger, AT, whole.subarray(index + 1))).toBeUndefined();
		for (let bit = 1; bit < 256; bit *= 2) {
			const changed = Buffer.from(whole);
			changed[index] ^= bit;
			expect(open(key, trigger, AT, changed)).toBeUndefined();
		}
	}
	expect(open(key, trigger, AT, whole)).toEqual({ kind: 'tell', words });
});
