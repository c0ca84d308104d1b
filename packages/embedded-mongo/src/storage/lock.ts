import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { defaultUri } from "../endpoint.ts";
import { DataFolderInUseError } from "../errors.ts";

/**
 * Ensures one process per data folder by a listening socket in it. The kernel closes it with the process, so connecting distinguishes
 * a held lock from that of a killed process, even if pids are reused. On Windows it is a named pipe, which the kernel removes.
 */
export interface FolderLock {
  release(): Promise<void>;
}

const LOCK_FILE = "lock.sock";
const TAKEOVER_FILE = "lock.takeover";
const TAKEOVER_STALE_MS = 10_000;
const GREETING_TIMEOUT_MS = 1_000;
const ATTEMPTS = 50;
const RETRY_MS = 20;

/** @throws DataFolderInUseError if a running process holds the folder */
export async function lockFolder(dir: string): Promise<FolderLock> {
  const real = fs.realpathSync(dir);
  return process.platform === "win32" ? lockPipe(dir, real) : lockSocket(dir, real);
}

function listen(target: string): Promise<net.Server> {
  const server = net.createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(String(process.pid));
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(target, () => resolve(server));
  });
}

const close = (server: net.Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

/**
 * Asks the holder of a lock for its pid. `silent`: it is alive but doesn't respond (suspended, overloaded). `free`: there is no
 * listener. `unclear`: the connection was lost, as while the kernel cleans up a killed holder.
 */
type Holder = number | "silent" | "free" | "unclear";

function ask(target: string): Promise<Holder> {
  return new Promise((resolve) => {
    const socket = net.connect(target);
    let greeting = "";
    socket.setTimeout(GREETING_TIMEOUT_MS, () => {
      resolve("silent");
      socket.destroy();
    });
    socket.on("data", (chunk) => (greeting += String(chunk)));
    // Other errors, such as a full accept queue (EAGAIN), can come from a live holder.
    socket.on("error", ({ code }: NodeJS.ErrnoException) =>
      resolve(code === "ECONNREFUSED" || code === "ENOENT" ? "free" : "unclear"),
    );
    socket.on("close", () => resolve(/^\d+$/.test(greeting) ? Number(greeting) : "unclear"));
  });
}

const inUse = (dir: string, holder: Holder): DataFolderInUseError =>
  new DataFolderInUseError(dir, typeof holder === "number" ? holder : undefined, defaultUri(dir));

async function lockPipe(dir: string, real: string): Promise<FolderLock> {
  const pipe = `\\\\.\\pipe\\fanfare-${createHash("sha256").update(real.toLowerCase()).digest("hex").slice(0, 32)}`;
  try {
    const server = await listen(pipe);
    return { release: () => close(server) };
  } catch {
    throw inUse(dir, await ask(pipe));
  }
}

/** Socket paths are limited to about 100 bytes, so a link in the temporary folder is used for long ones. */
function shortAlias(real: string): { alias: string; remove: () => void } {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "ff-"));
  fs.symlinkSync(real, path.join(home, "d"));
  return { alias: path.join(home, "d"), remove: () => fs.rmSync(home, { recursive: true, force: true }) };
}

async function lockSocket(dir: string, real: string): Promise<FolderLock> {
  const { alias, remove } = shortAlias(real);
  try {
    const lock = path.join(alias, LOCK_FILE);
    const own = path.join(alias, `lock-${process.pid}-${randomBytes(4).toString("hex")}.sock`);
    const server = await listenIn(dir, own);
    try {
      await claim(dir, lock, own);
    } catch (error) {
      await close(server);
      throw error;
    } finally {
      fs.rmSync(own, { force: true });
    }
    const held = path.join(real, LOCK_FILE);
    return {
      release: async () => {
        fs.rmSync(held, { force: true });
        await close(server);
      },
    };
  } finally {
    remove();
  }
}

async function listenIn(dir: string, own: string): Promise<net.Server> {
  try {
    return await listen(own);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The data folder ${dir} cannot hold a unix socket (${code}), which its lock requires. Choose a folder on a local file system.`,
      { cause: error },
    );
  }
}

/** Links the listening socket to the name of the lock, which only one process can do because linking fails if the name exists. */
async function claim(dir: string, lock: string, own: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      fs.linkSync(own, lock);
      removeStale(path.dirname(lock));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = await ask(lock);
    if (holder === "free") await removeDead(path.join(path.dirname(lock), TAKEOVER_FILE), lock);
    else if (holder === "unclear") await setTimeout(RETRY_MS);
    else throw inUse(dir, holder);
  }
  throw inUse(dir, "unclear");
}

/** Removes sockets of processes that were killed during startup. */
function removeStale(dir: string): void {
  for (const name of fs.readdirSync(dir)) {
    if (!/^lock-\d+-\w+\.sock$/.test(name)) continue;
    const age =
      Date.now() - (fs.statSync(path.join(dir, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > TAKEOVER_STALE_MS) fs.rmSync(path.join(dir, name), { force: true });
  }
}

/** Ensures that only one process at a time decides that a lock is stale and removes it. */
async function removeDead(guard: string, lock: string): Promise<void> {
  try {
    fs.closeSync(fs.openSync(guard, "wx", 0o600));
  } catch {
    await setTimeout(RETRY_MS);
    const age = Date.now() - (fs.statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > TAKEOVER_STALE_MS) fs.rmSync(guard, { force: true });
    return;
  }
  try {
    if ((await ask(lock)) === "free") fs.rmSync(lock, { force: true });
  } finally {
    fs.rmSync(guard, { force: true });
  }
}
