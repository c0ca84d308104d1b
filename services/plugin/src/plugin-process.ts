import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { serviceError, ServiceError } from "@fanfare/kernel";
import { type Plugin, PluginError } from "@fanfare/plugins";
import { z } from "zod";
import {
  ASKS_PER_PLUGIN,
  CALL_TIMEOUT_MS,
  CALLS_PER_PLUGIN,
  CHARS_PER_SECOND,
  DEPTH_MAX,
  EVENTS_PER_PLUGIN,
  LINE_MAX_CHARS,
  LINES_PER_SECOND,
  LOGGED_LINES_PER_MINUTE,
  MEMORY_MEGABYTES,
  OUTPUT_MAX_CHARS,
  PING_INTERVAL_MS,
  RESTART_MAX_MS,
  RESTART_MIN_MS,
  RETRY_AFTER_MS,
  START_TIMEOUT_MS,
  STOP_TIMEOUT_MS,
  UNREAD_FOR_EVENTS_BYTES,
  UNREAD_MAX_BYTES,
  WAITING_ASKS_PER_PLUGIN,
} from "./constants.ts";
import { type Ask, ASKS, type HostCaller, type HostError, type ToHost } from "./host/protocol.ts";

const HOST = fileURLToPath(new URL("./host/host-main.ts", import.meta.url));

const id = z.int().min(0);
const FromHost = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), actions: z.array(z.string()), events: z.array(z.string()) }),
  z.object({ type: z.literal("unusable"), reason: z.string() }),
  z.object({ type: z.literal("pong"), id }),
  z.object({
    type: z.literal("ask"),
    id,
    of: id.nullable(),
    what: z.enum(ASKS),
    args: z.unknown().optional(),
  }),
  z.object({
    type: z.literal("done"),
    id,
    ok: z.boolean(),
    data: z.unknown().optional(),
    error: z
      .discriminatedUnion("kind", [
        z.object({ kind: z.literal("failed") }),
        z.object({ kind: z.literal("refused"), reason: z.string() }),
        z.object({ kind: z.literal("passed"), code: z.string(), data: z.unknown().optional() }),
        z.object({
          kind: z.literal("invalid"),
          issues: z.array(z.object({ path: z.string(), message: z.string() })),
        }),
      ])
      .optional(),
  }),
]);

/** A call of an action that the plug-in works on. */
export interface RunningCall {
  caller: HostCaller;
  /** What `serve` needs, such as the services of the caller. */
  context: unknown;
  /** Calls that it has made. */
  calls: number;
}

interface Running extends Partial<RunningCall> {
  /** Of its calls, by code: the plug-in can pass them on. */
  failures: Map<string, ServiceError>;
  resolve: (data: unknown) => void;
  reject: (error: ServiceError) => void;
}

export interface PluginProcessOptions {
  plugin: Plugin;
  settings: Record<string, string>;
  logger: Record<"warn" | "error", (fields: object, text: string) => void>;
  /** Answers what the plug-in asks for. An error's message goes to the plug-in. */
  serve: (what: Ask, args: unknown, call: RunningCall | null) => Promise<unknown>;
  /** Called for each event that is dropped. */
  onDropped?: () => void;
  callTimeoutMs?: number;
  pingIntervalMs?: number;
  spawn?: (
    file: string,
    args: string[],
    options: { env: Record<string, string>; cwd: string; stdio: "pipe" },
  ) => ChildProcessByStdio<Writable, Readable, Readable>;
}

type AskMessage = Extract<z.output<typeof FromHost>, { type: "ask" }>;

const unavailable = (): ServiceError => serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS });

/** Runs the server of a plug-in in a process of its own, and restarts it when it ends. */
export class PluginProcess {
  readonly #options: PluginProcessOptions;
  #child: ChildProcess | null = null;
  #running = new Map<number, Running>();
  #events = 0;
  #asks = 0;
  #waitingAsks: AskMessage[] = [];
  #lastAnswer: Promise<void> = Promise.resolve();
  #lastId = 0;
  #pinged: number | null = null;
  #pinging: NodeJS.Timeout | undefined;
  #restarting: NodeJS.Timeout | undefined;
  #restartMs = RESTART_MIN_MS;
  #isReady = false;
  #isStopped = false;
  #output = "";
  #logged = { lines: 0, sinceMs: 0 };
  #received = { lines: 0, chars: 0, sinceMs: 0 };
  restarts = 0;
  lastError: string | null = null;

  constructor(options: PluginProcessOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#isReady;
  }

  get #name(): string {
    return this.#options.plugin.manifest.name;
  }

  /**
   * Resolves when the plug-in is ready.
   * @throws {PluginError} if it can't be loaded, or lacks what plugin.json declares
   */
  async start(): Promise<void> {
    const { plugin } = this.#options;
    if (!process.allowedNodeEnvironmentFlags.has("--allow-net"))
      throw new PluginError(
        `The plug-in in ${plugin.folder} can't be started: Node ${process.versions.node} can't keep plug-ins from the network. Use a newer Node, or remove the folder from PLUGINS.`,
      );
    const fault = await this.#launch();
    if (fault === null) return;
    this.#isStopped = true;
    this.#child?.kill("SIGKILL");
    throw new PluginError(
      `The plug-in in ${plugin.folder} can't be started: ${plugin.manifest.server!.file} ${fault} Correct it, or remove the folder from PLUGINS.`,
    );
  }

  /**
   * Calls an action of the plug-in.
   * @throws {ServiceError} PLUGIN_FAILED, PLUGIN_REFUSED, VALIDATION_FAILED, UNAVAILABLE, OVERLOADED
   */
  call(name: string, params: unknown, caller: HostCaller, context: unknown): Promise<unknown> {
    if (!this.#isReady) return Promise.reject(unavailable());
    if (this.#running.size - this.#events >= CALLS_PER_PLUGIN)
      return Promise.reject(serviceError("OVERLOADED", { retryAfterMs: RETRY_AFTER_MS }));
    const callId = ++this.#lastId;
    return this.#run(
      callId,
      { type: "action", id: callId, name, params, caller },
      { caller, context, calls: 0 },
    );
  }

  /** Delivers an event that can be lost: if the plug-in is behind or not running, it is dropped. */
  notify(name: string, payload: unknown): void {
    const unread = this.#child?.stdin?.writableLength ?? 0;
    if (!this.#isReady || this.#events >= EVENTS_PER_PLUGIN || unread > UNREAD_FOR_EVENTS_BYTES) {
      this.#options.onDropped?.();
      return;
    }
    this.deliver(name, payload).catch((error: unknown) =>
      this.#warn({ err: error, event: name }, "plug-in event handler failed"),
    );
  }

  /**
   * Resolves when the plug-in has handled an event.
   * @throws {ServiceError} as `call`
   */
  async deliver(name: string, payload: unknown): Promise<void> {
    if (!this.#isReady) throw unavailable();
    const eventId = ++this.#lastId;
    this.#events += 1;
    try {
      await this.#run(eventId, { type: "event", id: eventId, name, payload }, {});
    } finally {
      this.#events -= 1;
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#restarting);
    const child = this.#child;
    if (child === null) return;
    const exited = once(child, "exit");
    child.stdin?.end();
    await Promise.race([exited, delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    child.kill("SIGKILL");
  }

  async #run(callId: number, message: ToHost, more: Partial<RunningCall>): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#running.set(callId, { ...more, failures: new Map(), resolve, reject });
    const timer = setTimeout(() => {
      this.#warn({}, "plug-in did not answer in time");
      reject(unavailable());
    }, this.#options.callTimeoutMs ?? CALL_TIMEOUT_MS);
    this.#send(message);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#running.delete(callId);
    }
  }

  /** @returns why it can't be used, or null */
  async #launch(): Promise<string | null> {
    try {
      return await this.#tryLaunch();
    } catch (error) {
      // Without memory or file descriptors, there is no process, or one without pipes.
      return `can't be run (${(error as Error).message}).`;
    }
  }

  async #tryLaunch(): Promise<string | null> {
    const { plugin, settings } = this.#options;
    const file = join(plugin.folder, plugin.manifest.server!.file);
    const [command, ...args] = [
      ...(endsWithParent() ? ["setpriv", "--pdeathsig", "KILL"] : []),
      process.execPath,
    ];
    const child = (this.#options.spawn ?? spawn)(
      command,
      [
        ...args,
        "--permission",
        ...reading(plugin.folder),
        `--max-old-space-size=${MEMORY_MEGABYTES}`,
        // It opens files without asking the permission model, such as the embedded database.
        "--no-experimental-sqlite",
        // The folder needs no package.json.
        "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON",
        HOST,
      ],
      // Without the environment, which has the secrets of the server.
      { env: {}, cwd: plugin.folder, stdio: "pipe" },
    );
    this.#child = child;
    this.#output = "";
    this.#waitingAsks = [];
    this.#received = { lines: 0, chars: 0, sinceMs: 0 };
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const timer = setTimeout(() => resolve(`was not ready within ${START_TIMEOUT_MS} ms.`), START_TIMEOUT_MS);
    child.on("error", (error) => {
      resolve(`can't be run (${error.message}).`);
      this.#ended(child, error.message);
    });
    child.once("exit", (code, signal) => {
      resolve(`ended with ${code ?? signal}. ${this.#output}`);
      this.#ended(child, code ?? signal);
    });
    children.add(child);
    child.once("exit", () => children.delete(child));
    // Writing to a process that has just ended.
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (this.#count(child, 0, text.length)) this.#log(text);
    });
    this.#readLines(child, (message) => {
      if (message.type === "ready") resolve(this.#missing(message));
      else if (message.type === "unusable")
        resolve(`can't be loaded: ${message.reason.slice(0, OUTPUT_MAX_CHARS)}`);
      else this.#receive(message);
    });
    this.#send({ type: "start", file, settings });
    const fault = await promise;
    clearTimeout(timer);
    if (fault !== null || child.exitCode !== null) return fault ?? "ended.";
    this.#isReady = true;
    this.#watch(child);
    return null;
  }

  /** What plugin.json declares and the program lacks. */
  #missing({ actions, events }: { actions: string[]; events: string[] }): string | null {
    const { server } = this.#options.plugin.manifest;
    const lacks = Object.keys(server!.actions).filter((name) => !actions.includes(name));
    if (lacks.length > 0) return `has no action ${lacks.join(", ")}, which plugin.json declares.`;
    const deaf = server!.events.filter((name) => !events.includes(name));
    return deaf.length === 0 ? null : `has no handler of ${deaf.join(", ")}, which plugin.json declares.`;
  }

  /** Kills the process when it does not answer a ping until the next one is due. */
  #watch(child: ChildProcess): void {
    const startedMs = performance.now();
    this.#pinged = null;
    clearInterval(this.#pinging);
    this.#pinging = setInterval(() => {
      if (performance.now() - startedMs > RESTART_MAX_MS) this.#restartMs = RESTART_MIN_MS;
      const missing = this.#pinged;
      if (missing !== null) {
        // If the server itself was late, the answer is still to be read.
        setImmediate(() => {
          if (this.#pinged === missing) this.#kill(child, "it is stuck");
        });
        return;
      }
      this.#pinged = ++this.#lastId;
      this.#send({ type: "ping", id: this.#pinged });
    }, this.#options.pingIntervalMs ?? PING_INTERVAL_MS).unref();
  }

  #readLines(child: ChildProcess, onMessage: (message: z.output<typeof FromHost>) => void): void {
    let rest = "";
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      if (!this.#count(child, 0, text.length)) return;
      if (Math.max(rest.length, ...lines.map(({ length }) => length)) > LINE_MAX_CHARS)
        this.#kill(child, "it sent a message that is too long");
      else
        for (const line of lines) {
          const message = FromHost.safeParse(jsonOf(line));
          if (!message.success) this.#kill(child, "it sent what is not a message");
          else if (child !== this.#child) return;
          else if (this.#isAnswer(message.data) || this.#count(child, 1, 0)) onMessage(message.data);
        }
    });
  }

  /** Whether the server waits for it. Such messages are as many as the server's. */
  #isAnswer(message: z.output<typeof FromHost>): boolean {
    if (message.type === "pong") return message.id === this.#pinged;
    return message.type === "done" && this.#running.has(message.id);
  }

  /** @returns false if the plug-in sends too much, and is killed */
  #count(child: ChildProcess, lines: number, chars: number): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#received.sinceMs > 1000) this.#received = { lines: 0, chars: 0, sinceMs: nowMs };
    this.#received.lines += lines;
    this.#received.chars += chars;
    const isWithin = this.#received.lines <= LINES_PER_SECOND && this.#received.chars <= CHARS_PER_SECOND;
    if (!isWithin) this.#kill(child, "it sends too many messages");
    return isWithin;
  }

  #receive(message: z.output<typeof FromHost>): void {
    if (message.type === "pong" && message.id === this.#pinged) this.#pinged = null;
    else if (message.type === "ask") this.#receiveAsk(message);
    else if (message.type === "done") {
      const running = this.#running.get(message.id);
      const { error = { kind: "failed" } } = message;
      if (message.ok && isTooDeep(message.data)) {
        this.#warn({}, `plug-in returned data nested more than ${DEPTH_MAX} levels deep`);
        running?.reject(serviceError("PLUGIN_FAILED"));
      } else if (message.ok) running?.resolve(message.data);
      else if (error.kind === "passed")
        running?.reject(running.failures.get(error.code) ?? serviceError("PLUGIN_FAILED"));
      else running?.reject(toServiceError(error));
    }
  }

  #receiveAsk(message: AskMessage): void {
    if (isTooDeep(message.args))
      this.#refuse(message.id, `A request must not be nested more than ${DEPTH_MAX} levels deep.`);
    else if (this.#asks < ASKS_PER_PLUGIN) void this.#answer(message);
    else if (this.#waitingAsks.length < WAITING_ASKS_PER_PLUGIN) this.#waitingAsks.push(message);
    else this.#refuse(message.id, `Too many requests at a time: the limit is ${WAITING_ASKS_PER_PLUGIN}.`);
  }

  async #answer({ id: askId, of, what, args }: AskMessage): Promise<void> {
    const child = this.#child;
    const running = of === null ? undefined : this.#running.get(of);
    this.#asks += 1;
    try {
      const call = running?.caller === undefined ? null : (running as Running & RunningCall);
      const data = await this.#options.serve(what, args, call);
      this.#lastAnswer = this.#sendAnswer(child, askId, data, this.#lastAnswer);
      await this.#lastAnswer;
    } catch (error) {
      if (child !== this.#child) return;
      const failed = error instanceof ServiceError ? error : undefined;
      // Errors of a session are for its client, which would log in and call again.
      if (failed !== undefined && failed.code !== 401) running?.failures.set(failed.type, failed);
      this.#refuse(askId, error instanceof Error ? error.message : String(error), failed);
    } finally {
      this.#asks -= 1;
      const next = this.#waitingAsks.shift();
      if (next !== undefined) void this.#answer(next);
    }
  }

  /** Sends one answer after the other, so that each waits until the plug-in has read the one before. */
  async #sendAnswer(
    child: ChildProcess | null,
    askId: number,
    data: unknown,
    before: Promise<void>,
  ): Promise<void> {
    await before.catch(() => {});
    await untilRead(child);
    if (child === this.#child) this.#send({ type: "answer", id: askId, ok: true, data: data ?? null });
  }

  #refuse(askId: number, reason: string, failed?: ServiceError): void {
    const more = failed === undefined ? {} : { code: failed.type, data: failed.data };
    this.#send({ type: "answer", id: askId, ok: false, reason, ...more });
  }

  #send(message: ToHost): void {
    const stdin = this.#child?.stdin;
    if (stdin?.writable !== true) return;
    stdin.write(`${JSON.stringify(message)}\n`);
    if (stdin.writableLength > UNREAD_MAX_BYTES) this.#kill(this.#child!, "it does not read");
  }

  #kill(child: ChildProcess, reason: string): void {
    if (child.killed) return;
    this.lastError = reason;
    this.#options.logger.warn({ plugin: this.#name, reason }, "plug-in killed");
    child.stdout?.destroy();
    child.kill("SIGKILL");
  }

  #ended(child: ChildProcess, how: number | string | null): void {
    if (child !== this.#child) return;
    const wasReady = this.#isReady;
    this.#isReady = false;
    this.#child = null;
    clearInterval(this.#pinging);
    this.#waitingAsks = [];
    for (const { reject } of this.#running.values())
      reject(this.#isStopped ? unavailable() : serviceError("PLUGIN_FAILED"));
    if (this.#isStopped || (!wasReady && this.restarts === 0)) return;
    if (!child.killed) this.lastError = `ended with ${how}. ${this.#output}`.trim();
    this.#options.logger.error(
      { plugin: this.#name, reason: this.lastError, restartMs: this.#restartMs },
      "plug-in ended",
    );
    this.#scheduleRestart();
  }

  #scheduleRestart(): void {
    clearTimeout(this.#restarting);
    this.#restarting = setTimeout(() => void this.#restart(), this.#restartMs).unref();
    this.#restartMs = Math.min(RESTART_MAX_MS, this.#restartMs * 2);
  }

  async #restart(): Promise<void> {
    this.restarts += 1;
    const fault = await this.#launch();
    if (fault === null) return;
    this.lastError = fault;
    this.#child?.kill("SIGKILL");
    // Otherwise its end does that.
    if (this.#child === null && !this.#isStopped) this.#scheduleRestart();
  }

  #log(text: string): void {
    this.#output = (this.#output + text).slice(-OUTPUT_MAX_CHARS);
    for (const line of text.split("\n").filter((each) => each.trim() !== ""))
      this.#warn({ output: line.slice(0, OUTPUT_MAX_CHARS) }, "plug-in output");
  }

  /** Logs what a plug-in can cause as often as it likes. */
  #warn(fields: object, text: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#logged.sinceMs > 60_000) this.#logged = { lines: 0, sinceMs: nowMs };
    this.#logged.lines += 1;
    if (this.#logged.lines <= LOGGED_LINES_PER_MINUTE)
      this.#options.logger.warn({ plugin: this.#name, ...fields }, text);
  }
}

/** Resolves when at most `UNREAD_FOR_EVENTS_BYTES` are unread, or the process has ended. */
async function untilRead(child: ChildProcess | null): Promise<void> {
  const stdin = child?.stdin;
  if (stdin?.writable !== true || stdin.writableLength <= UNREAD_FOR_EVENTS_BYTES) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  stdin.once("drain", resolve).once("close", resolve);
  await promise;
  stdin.off("drain", resolve).off("close", resolve);
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

function isTooDeep(data: unknown, levels: number = DEPTH_MAX): boolean {
  if (typeof data !== "object" || data === null) return false;
  return levels === 0 || Object.values(data).some((value) => isTooDeep(value, levels - 1));
}

function toServiceError(error: Exclude<HostError, { kind: "passed" }>): ServiceError {
  if (error.kind === "refused") return serviceError("PLUGIN_REFUSED", { reason: error.reason });
  if (error.kind === "invalid") return serviceError("VALIDATION_FAILED", { issues: error.issues });
  return serviceError("PLUGIN_FAILED");
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
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
