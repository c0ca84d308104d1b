import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  CHARS_PER_SECOND,
  HEAP_MEGABYTES,
  LINE_MAX_CHARS,
  LINES_PER_SECOND,
  MEMORY_INTERVAL_MS,
  MEMORY_MEGABYTES,
  OUTPUT_MAX_CHARS,
  STOP_TIMEOUT_MS,
  UNREAD_FOR_EVENTS_BYTES,
  UNREAD_MAX_BYTES,
} from "./constants.ts";
import { FromHost, type ToHost } from "./host/protocol.ts";

interface Listeners {
  /** @returns whether the server has waited for it: such messages are as many as the server's, and not counted */
  onMessage: (message: FromHost) => boolean;
  onOutput: (line: string) => void;
  /** Called once. */
  onEnd: (reason: string) => void;
}

/** One process of a plug-in. It is killed if it sends too much, does not read or answer, or needs too much memory. */
export class HostProcess {
  readonly #child: HostChild;
  readonly #listeners: Listeners;
  #rest = "";
  /** The end of what it has printed. */
  #output = "";
  #received = { lines: 0, chars: 0, sinceMs: 0 };
  /** From the start, because a program can use up the memory before it is ready. */
  readonly #measuring: NodeJS.Timeout;
  #pinging: NodeJS.Timeout | undefined;
  #lastPing = 0;
  #answeredPing = 0;
  /** Why it is being killed. */
  #fault: string | undefined;
  #isEnded = false;

  constructor(child: HostChild, listeners: Listeners) {
    this.#child = child;
    this.#listeners = listeners;
    child.on("error", (error) => this.#end(error.message));
    child.once("exit", (code, signal) => this.#end(`ended with ${code ?? signal}. ${this.#output}`.trim()));
    if ((child.stdin as unknown) === undefined) throw new Error("it has no pipes");
    // Writing to a process that has just ended.
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#print(text));
    this.#measuring = setInterval(() => void this.#measure(), MEMORY_INTERVAL_MS).unref();
  }

  get isEnded(): boolean {
    return this.#isEnded || this.#fault !== undefined;
  }

  /** Whether it reads so slowly that events are dropped and answers wait. */
  get isBehind(): boolean {
    return this.#child.stdin.writableLength > UNREAD_FOR_EVENTS_BYTES;
  }

  send(message: ToHost): void {
    const { stdin } = this.#child;
    if (!stdin.writable) return;
    stdin.write(`${JSON.stringify(message)}\n`);
    if (stdin.writableLength > UNREAD_MAX_BYTES) this.kill("it does not read");
  }

  /** Resolves when it is not behind, or has ended. */
  async untilRead(): Promise<void> {
    const { stdin } = this.#child;
    if (!stdin.writable || !this.isBehind) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    stdin.once("drain", resolve).once("close", resolve);
    await promise;
    stdin.off("drain", resolve).off("close", resolve);
  }

  /** Kills it when it does not answer a ping until the next one is due. */
  ping(intervalMs: number): void {
    const ping = () => {
      const missing = this.#lastPing;
      if (missing === this.#answeredPing) this.send({ type: "ping", id: ++this.#lastPing });
      else
        // If the server itself was late, the answer is still to be read.
        setImmediate(() => {
          if (missing !== this.#answeredPing) this.kill("it is stuck");
        });
    };
    this.#pinging = setInterval(ping, intervalMs).unref();
  }

  kill(reason: string): void {
    if (this.isEnded) return;
    this.#fault = reason;
    this.#child.stdout.destroy();
    this.#child.kill("SIGKILL");
  }

  /** Lets it end by itself, but not for long. */
  async stop(): Promise<void> {
    if (this.#isEnded) return;
    const exited = once(this.#child, "exit");
    this.#child.stdin.end();
    await Promise.race([exited, delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    this.#child.kill("SIGKILL");
  }

  async #measure(): Promise<void> {
    const megabytes = await residentMegabytes(this.#child.pid!);
    if (megabytes > MEMORY_MEGABYTES)
      this.kill(`it used ${megabytes} MB of memory; ${MEMORY_MEGABYTES} MB are allowed`);
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    this.#count(0, text.length);
    if (Math.max(this.#rest.length, ...lines.map(({ length }) => length)) > LINE_MAX_CHARS)
      this.kill("it sent a message that is too long");
    for (const line of lines) {
      if (this.isEnded) return;
      const message = FromHost.safeParse(jsonOf(line));
      if (!message.success) this.kill("it sent what is not a message");
      else if (!this.#receive(message.data)) this.#count(1, 0);
    }
  }

  #receive(message: FromHost): boolean {
    if (message.type !== "pong") return this.#listeners.onMessage(message);
    const isAwaited = message.id === this.#lastPing && message.id !== this.#answeredPing;
    if (isAwaited) this.#answeredPing = message.id;
    return isAwaited;
  }

  #print(text: string): void {
    this.#count(0, text.length);
    if (this.isEnded) return;
    this.#output = (this.#output + text).slice(-OUTPUT_MAX_CHARS);
    for (const line of text.split("\n"))
      if (line.trim() !== "") this.#listeners.onOutput(line.slice(0, OUTPUT_MAX_CHARS));
  }

  #count(lines: number, chars: number): void {
    const nowMs = performance.now();
    if (nowMs - this.#received.sinceMs > 1000) this.#received = { lines: 0, chars: 0, sinceMs: nowMs };
    this.#received.lines += lines;
    this.#received.chars += chars;
    if (this.#received.lines > LINES_PER_SECOND || this.#received.chars > CHARS_PER_SECOND)
      this.kill("it sends too many messages");
  }

  #end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#measuring);
    clearInterval(this.#pinging);
    this.#listeners.onEnd(this.#fault === undefined ? reason : `was ended: ${this.#fault}.`);
  }
}

/** The memory of a process that is not swapped out, also outside of the heap; 0 if the system isn't Linux or the process has ended. */
async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const HOST = fileURLToPath(new URL("./host/host-main.ts", import.meta.url));

type HostChild = ChildProcessByStdio<Writable, Readable, Readable>;
export type Spawn = (
  file: string,
  args: string[],
  options: { env: Record<string, string>; cwd: string; stdio: "pipe" },
) => HostChild;

/**
 * Starts the program that runs a plug-in, under Node's permission model.
 * @throws without memory for another process
 */
export function spawnHost(folder: string, start: Spawn = spawn): HostChild {
  const args = [
    "--permission",
    ...reading(folder),
    `--max-old-space-size=${HEAP_MEGABYTES}`,
    // It opens files without asking the permission model, such as the embedded database.
    "--no-experimental-sqlite",
    // The folder needs no package.json.
    "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON",
    HOST,
  ];
  // Without the environment, which has the secrets of the server.
  const options = { env: {}, cwd: folder, stdio: "pipe" } as const;
  const child = endsWithParent()
    ? start("setpriv", ["--pdeathsig", "KILL", process.execPath, ...args], options)
    : start(process.execPath, args, options);
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

const children = new Set<ChildProcess>();
// A plug-in in an endless loop doesn't notice the end of the server.
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

let canEndWithParent: boolean | undefined;
/** Whether the system ends plug-ins when the server was killed: with `setpriv` of util-linux. */
export function endsWithParent(): boolean {
  return (canEndWithParent ??=
    process.platform === "linux" &&
    spawnSync("setpriv", ["--pdeathsig", "KILL", "true"], { env: {} }).status === 0);
}

/** The arguments that let the process read the plug-in and the program that runs it, and nothing else. */
function reading(folder: string): string[] {
  const ofHost = dirname(HOST);
  const allow = (path: string) => `--allow-fs-read=${path}`;
  if (!HOST.endsWith(".ts")) return [allow(join(folder, "/")), allow(join(ofHost, "/"))];
  // From the sources: with zod. Its usual path is a link of node_modules, and a plug-in could use links there to leave the folder
  // (`node_modules/zod/../..`), so they must not be readable.
  const zod = realpathSync(fileURLToPath(import.meta.resolve("zod")));
  const hook = `import { registerHooks } from "node:module";
    const url = ${JSON.stringify(pathToFileURL(zod).href)};
    registerHooks({
      resolve: (name, context, next) => (name === "zod" ? { url, shortCircuit: true } : next(name, context)),
    });`;
  return [
    ...[
      join(folder, "/"),
      join(ofHost, "/"),
      join(ofHost, "../../package.json"),
      join(dirname(zod), "/"),
    ].map(allow),
    `--import=data:text/javascript,${encodeURIComponent(hook)}`,
  ];
}
