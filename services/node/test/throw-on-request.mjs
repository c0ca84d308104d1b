import { existsSync } from "node:fs";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";

// Preloaded into the program by a test: fails as faulty code would, once there is a file of the failure's name.

const folder = process.env.THROW_ON_REQUEST;
const requested = (name) => existsSync(join(folder, name));

// The program and its gateway threads, not its database.
if (/\/(thread-)?main\.js$/.test(process.argv[1])) {
  const timer = setInterval(() => {
    const failure = ["exception", "rejection", "exit", "hang"].find((name) =>
      requested(`${isMainThread ? "main" : "thread"}-${name}`),
    );
    if (failure === undefined) return;
    clearInterval(timer);
    // Of a thread: it ends as if its memory was full.
    if (failure === "exit") process.exit(1);
    if (failure === "hang") for (;;);
    if (failure === "exception") throw new Error("provoked exception");
    void Promise.reject(new Error("provoked rejection"));
  }, 50);
  timer.unref();
}
