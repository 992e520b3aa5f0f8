// Loaded into an n8n before anything else (node --require): has the trigger wait so long there, as tests without
// n8n do, and otherwise be what is published. TEST_TRIGGER_TIMES holds what to set in the `TIMES` of its schedule.
const Module = require('node:module');
const { sep } = require('node:path');

const times = JSON.parse(process.env.TEST_TRIGGER_TIMES);
const folder = ['', 'trigger', 'lifecycle'].join(sep);
const load = Module._load;

Module._load = function (request, parent, ...rest) {
	const loaded = load.call(this, request, parent, ...rest);
	const isSchedule = /(^|\/)schedule$/.test(request) && parent?.path.includes(folder);
	if (isSchedule) Object.assign(loaded.TIMES, times);
	return loaded;
};
