import { spawn, type ChildProcess } from "node:child_process";

/** Waits for the end of its input, which comes when this process ends in any way, and then ends the process it guards. */
const SCRIPT = 'read -r _; kill -9 "$1" 2>/dev/null';

const guarded = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of guarded) child.kill("SIGKILL");
});

/**
 * Makes sure that a process does not outlive this one: neither when this one exits nor when it is killed. The child has to be
 * in a process group of its own (`detached`), as the guard is, so that Ctrl-C reaches this process alone.
 */
export function guardAgainstOrphan(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const guard = spawn("/bin/sh", ["-c", SCRIPT, "orphan-guard", String(child.pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  guard.stdin.on("error", () => undefined);
  (guard.stdin as unknown as { unref(): void }).unref();
  guarded.add(child);
  child.once("exit", () => {
    guarded.delete(child);
    // Before the number of the process can belong to another.
    guard.kill("SIGKILL");
  });
}
