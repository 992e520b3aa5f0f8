const { src, dest } = require('gulp');

/**
 * Copies what tsc leaves behind and n8n loads from dist: icons, codex files and the fields of outputs.
 * One stream, so that a failed copy fails the build.
 */
function assets() {
	return src(['icons/**/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], {
		base: '.',
		encoding: false,
	}).pipe(dest('dist'));
}

exports.assets = assets;
