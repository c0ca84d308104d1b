import { spawn, type ChildProcess } from "node:child_process";

/** Waits for the end of its input, which is closed when this process ends in any way, and then kills the guarded process. */
const SCRIPT = 'read -r _; kill -9 "$1" 2>/dev/null';

const guarded = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of guarded) child.kill("SIGKILL");
});

/**
 * Ensures that a child process doesn't outlive this process, even if this one is killed. The child must be `detached`, so that
 * Ctrl-C reaches only this process.
 */
export function guardAgainstOrphan(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const guard = spawn("/bin/sh", ["-c", SCRIPT, "orphan-guard", String(child.pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Without a shell, as on Windows, there is no guard.
  guard.on("error", () => undefined);
  guard.unref();
  guard.stdin.on("error", () => undefined);
  (guard.stdin as unknown as { unref(): void }).unref();
  guarded.add(child);
  child.once("exit", () => {
    guarded.delete(child);
    // Before the process id can be reused.
    guard.kill("SIGKILL");
  });
}
