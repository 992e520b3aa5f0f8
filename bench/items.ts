import type * as ItemText from '../nodes/CompanyRegistry/shared/itemText';
import { built } from './lib/built';
import { microseconds } from './lib/cpuTime';
import type { Figure } from './lib/report';
import { compare } from './lib/rounds';

const { withText } = built<typeof ItemText>('nodes/CompanyRegistry/shared/itemText');

/** In microseconds a delivery. */
const MOST = 100;

/** Writing subject and text of an event, against writing the event as JSON. */
export async function measureItems({ rounds }: { rounds: number }): Promise<Figure[]> {
	const fields = Object.fromEntries(
		Array.from({ length: 20 }, (_, index) => [`field_${index}`, `value ${index} `.repeat(12)]),
	);
	const item = {
		event: 'filing.new',
		event_name: 'New Filing',
		company_number: '99000001',
		company_name: 'Tessellate Stores plc',
		list_columns: { Client: 'Tessellate Stores plc', 'Company no.': '99000001', Partner: 'JD' },
		received_at: new Date().toISOString(),
		payload: { id: 'evt_1', data: fields },
	};
	const times = 2000;
	const { ours } = await compare(
		rounds,
		microseconds(times, () => JSON.stringify(item).length > 0),
		{ ours: microseconds(times, () => withText(item).text.length > 0) },
	);
	return [
		{
			what: 'subject and text of an event with 20 fields',
			ours: `${ours.ours.toFixed(1)} µs`,
			peer: `${ours.peer.toFixed(1)} µs (the event as JSON)`,
			ratio: ours.ratio,
			target: `≤ ${MOST} µs`,
			isMet: ours.ours <= MOST,
		},
	];
}
