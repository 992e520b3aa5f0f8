// Loaded into a process before anything else (node --require): ends it, and every process of
// its group when it leads one, once the process that started it is gone. An orphaned n8n would
// otherwise run on for ever, and no signal handler of a parent runs when that parent is killed
// outright.
const GRACE_MS = 10_000;

const expectedParent = Number(process.env.LEASH_PARENT_PID);
// Children of this process have a parent of their own.
delete process.env.LEASH_PARENT_PID;
if (expectedParent) watchOver(expectedParent);

function watchOver(parent) {
	const watch = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(watch);
		process.kill(process.pid, 'SIGTERM');
		setTimeout(endAtOnce, GRACE_MS).unref();
	}, 500);
	watch.unref();
}

function endAtOnce() {
	try {
		process.kill(-process.pid, 'SIGKILL');
	} catch {
		process.kill(process.pid, 'SIGKILL');
	}
}
