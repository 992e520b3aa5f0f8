import { crc32 } from 'node:zlib';

/** What a PNG file begins with. */
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * One moving picture of still ones, as an animated PNG: it plays three times and stops at the last one.
 *
 * @param frames PNG files of one size and form
 * @param ms how long each stays, in milliseconds
 */
export function movingPicture(frames: Buffer[], ms: number): Buffer {
	const files = frames.map(chunksOf);
	const [[{ content: header }]] = files;
	if (files.some(([{ content }]) => !content.equals(header)))
		throw new Error('The frames differ in size or form.');

	let sequence = 0;
	const numbered = (type: string, ...rest: Buffer[]) => chunk(type, uint32(sequence++), ...rest);
	const pictures = files.flatMap((chunks, index) => {
		const size = header.subarray(0, 8);
		const place = Buffer.alloc(8);
		// A fraction of two numbers of 16 bits, in seconds.
		const delay = uint32(ms * 0x10000 + 1000);
		// Each takes the place of the one before.
		const replaces = Buffer.alloc(2);
		const data = chunks.filter(({ type }) => type === 'IDAT').map(({ content }) => content);
		return [
			numbered('fcTL', size, place, delay, replaces),
			// What shows no moving pictures shows the first.
			...data.map((one) => (index === 0 ? chunk('IDAT', one) : numbered('fdAT', one))),
		];
	});
	return Buffer.concat([
		SIGNATURE,
		chunk('IHDR', header),
		chunk('acTL', uint32(frames.length), uint32(3)),
		...pictures,
		chunk('IEND'),
	]);
}

/** The first is the header. */
function chunksOf(png: Buffer): Array<{ type: string; content: Buffer }> {
	const chunks = [];
	for (let at = SIGNATURE.length; at < png.length; ) {
		const length = png.readUInt32BE(at);
		const type = png.toString('latin1', at + 4, at + 8);
		chunks.push({ type, content: png.subarray(at + 8, at + 8 + length) });
		// Length, type and checksum.
		at += length + 12;
	}
	return chunks;
}

function chunk(type: string, ...parts: Buffer[]): Buffer {
	const content = Buffer.concat(parts);
	const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
	return Buffer.concat([uint32(content.length), named, uint32(crc32(named))]);
}

function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}
