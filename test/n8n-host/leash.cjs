// Loaded into a process before anything else (node --require): ends it, and every process of
// its group when it leads one, once the process that started it is gone. An orphaned n8n would
// otherwise run on for ever, and no signal handler of a parent runs when that parent is killed
// outright.
const expectedParent = Number(process.env.LEASH_PARENT_PID);
const GRACE_MS = 10_000;

const watch = setInterval(() => {
	if (process.ppid === expectedParent) return;
	clearInterval(watch);
	process.kill(process.pid, 'SIGTERM');
	setTimeout(endAtOnce, GRACE_MS).unref();
}, 500);
watch.unref();

function endAtOnce() {
	try {
		process.kill(-process.pid, 'SIGKILL');
	} catch {
		process.kill(process.pid, 'SIGKILL');
	}
}
