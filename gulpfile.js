const { Transform } = require('node:stream');

const { src, dest, watch } = require('gulp');

const files = ['icons/**/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'];

/** People read these files in the repository, so the package needs no indentation. */
const withoutIndentation = () =>
	new Transform({
		objectMode: true,
		transform(file, _encoding, done) {
			if (file.extname === '.json') {
				file.contents = Buffer.from(JSON.stringify(JSON.parse(file.contents)));
			}
			done(null, file);
		},
	});

/**
 * Copies what tsc leaves behind and n8n loads from dist: icons, codex files and the fields of outputs.
 * One stream, so that a failed copy fails the build.
 */
function assets() {
	return src(files, { base: '.', encoding: false })
		.pipe(withoutIndentation())
		.pipe(dest(process.env.DIST ?? 'dist'));
}

/** Gives the compiled code the indentation of its sources: tsc knows only spaces. */
function tabs() {
	const dist = process.env.DIST ?? 'dist';
	const indent = (spaces) => '\t'.repeat(spaces.length / 4);
	const withTabs = new Transform({
		objectMode: true,
		transform(file, _encoding, done) {
			file.contents = Buffer.from(String(file.contents).replace(/^(?: {4})+/gm, indent));
			done(null, file);
		},
	});
	return src(`${dist}/**/*.js`, { base: dist }).pipe(withTabs).pipe(dest(dist));
}

exports.assets = assets;
exports.tabs = tabs;
/** The same whenever one of them changes, for `npm start -- --watch`. */
exports.watchAssets = () => watch(files, assets);
