import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { backoffMs } from "@fanfare/contract/backoff";
import { serviceError, ServiceError, WorkQueue } from "@fanfare/kernel";
import { type Plugin, PluginError } from "@fanfare/plugins";
import {
  ASKS,
  CALL_TIMEOUT_MS,
  CALLS_PER_PLUGIN,
  DEPTH_MAX,
  EVENTS_PER_PLUGIN,
  LOGGED_LINES_PER_MINUTE,
  OUTPUT_MAX_CHARS,
  PING_INTERVAL_MS,
  RESTART_BACKOFF,
  RETRY_AFTER_MS,
  START_TIMEOUT_MS,
} from "./constants.ts";
import { HostProcess, type Spawn, spawnHost } from "./host-process.ts";
import type { Ask, FromHost, HostCaller, HostError, ToHost } from "./host/protocol.ts";

export interface PluginProcessOptions<Handling> {
  plugin: Plugin;
  settings: Record<string, string>;
  logger: Record<"warn" | "error", (fields: object, text: string) => void>;
  /**
   * Answers what the plug-in asks for. An error's message goes to the plug-in.
   * @param handling of the action or event that it belongs to; null if that has ended
   */
  serve: (what: Ask, args: unknown, handling: Handling | null) => Promise<unknown>;
  /** Called for each event that is dropped. */
  onDropped?: () => void;
  callTimeoutMs?: number;
  pingIntervalMs?: number;
  spawn?: Spawn;
}

/** An action or event that the plug-in works on. */
interface Running<Handling> {
  handling: Handling;
  /** Of its calls, by code: the plug-in can pass them on. */
  failures: Map<string, ServiceError>;
  resolve: (data: unknown) => void;
  reject: (error: ServiceError) => void;
}

type AskMessage = Extract<FromHost, { type: "ask" }>;

const unavailable = (): ServiceError => serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS });

/**
 * Runs the server of a plug-in in a process of its own, and restarts it when it ends.
 * @template Handling what `serve` needs to know of an action or event, such as who has called
 */
export class PluginProcess<Handling> {
  readonly #options: PluginProcessOptions<Handling>;
  #host: HostProcess | null = null;
  #isReady = false;
  readonly #stopping = new AbortController();
  #running = new Map<number, Running<Handling>>();
  #events = 0;
  #asks = new WorkQueue(ASKS);
  #lastAnswer: Promise<void> = Promise.resolve();
  #lastId = 0;
  #logged = { lines: 0, sinceMs: 0 };
  #readyAtMs = 0;
  /** In a row. */
  #failures = 0;
  restarts = 0;
  lastError: string | null = null;

  constructor(options: PluginProcessOptions<Handling>) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#isReady;
  }

  /**
   * Resolves when the plug-in is ready.
   * @throws {PluginError} if it can't be loaded, or lacks what plugin.json declares
   */
  async start(): Promise<void> {
    const { folder, manifest } = this.#options.plugin;
    if (!process.allowedNodeEnvironmentFlags.has("--allow-net"))
      throw new PluginError(
        `The plug-in in ${folder} can't be started: Node ${process.versions.node} can't keep plug-ins from the network. Use a newer Node, or remove the folder from PLUGINS.`,
      );
    const fault = await this.#launch();
    if (fault !== null)
      throw new PluginError(
        `The plug-in in ${folder} can't be started: ${manifest.server!.file} ${fault} Correct it, or remove the folder from PLUGINS.`,
      );
  }

  /**
   * Calls an action of the plug-in.
   * @throws {ServiceError} PLUGIN_FAILED, PLUGIN_REFUSED, VALIDATION_FAILED, UNAVAILABLE, OVERLOADED
   */
  async call(name: string, params: unknown, caller: HostCaller, handling: Handling): Promise<unknown> {
    if (this.#isReady && this.#running.size - this.#events >= CALLS_PER_PLUGIN)
      throw serviceError("OVERLOADED", { retryAfterMs: RETRY_AFTER_MS });
    return this.#run((id) => ({ type: "action", id, name, params, caller }), handling);
  }

  /** Delivers an event that can be lost: if the plug-in is behind or not running, it is dropped. */
  notify(name: string, payload: unknown, handling: Handling): void {
    if (!this.#isReady || this.#events >= EVENTS_PER_PLUGIN || this.#host!.isBehind) {
      this.#options.onDropped?.();
      return;
    }
    this.deliver(name, payload, handling).catch((error: unknown) =>
      this.#warn({ err: error, event: name }, "plug-in event handler failed"),
    );
  }

  /**
   * Resolves when the plug-in has handled an event.
   * @throws {ServiceError} as `call`
   */
  async deliver(name: string, payload: unknown, handling: Handling): Promise<void> {
    this.#events += 1;
    try {
      await this.#run((id) => ({ type: "event", id, name, payload }), handling);
    } finally {
      this.#events -= 1;
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#host?.stop();
  }

  async #run(messageOf: (id: number) => ToHost, handling: Handling): Promise<unknown> {
    if (!this.#isReady) throw unavailable();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#running.set(id, { handling, failures: new Map(), resolve, reject });
    const timer = setTimeout(() => {
      this.#warn({}, "plug-in did not answer in time");
      reject(unavailable());
    }, this.#options.callTimeoutMs ?? CALL_TIMEOUT_MS);
    this.#host!.send(messageOf(id));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#running.delete(id);
    }
  }

  /** @returns why it can't be used, or null */
  async #launch(): Promise<string | null> {
    const { plugin, settings, spawn, pingIntervalMs = PING_INTERVAL_MS } = this.#options;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    let host: HostProcess;
    try {
      host = new HostProcess(spawnHost(plugin.folder, spawn), {
        onMessage: (message) => {
          if (message.type === "ready") resolve(missing(plugin, message));
          else if (message.type === "unusable")
            resolve(`can't be loaded: ${message.reason.slice(0, OUTPUT_MAX_CHARS)}`);
          else return this.#receive(host, message);
          return false;
        },
        onOutput: (output) => this.#warn({ output }, "plug-in output"),
        onEnd: (reason) => {
          resolve(reason);
          if (host === this.#host) this.#ended(reason);
        },
      });
    } catch (error) {
      // Without memory or file descriptors, there is no process, or one without pipes.
      return `can't be run (${(error as Error).message}).`;
    }
    this.#host = host;
    host.send({ type: "start", file: join(plugin.folder, plugin.manifest.server!.file), settings });
    const timer = setTimeout(() => resolve(`was not ready within ${START_TIMEOUT_MS} ms.`), START_TIMEOUT_MS);
    const fault = await promise;
    clearTimeout(timer);
    if (fault !== null || host.isEnded) {
      host.kill("it could not be started");
      return fault ?? "ended.";
    }
    this.#isReady = true;
    this.#readyAtMs = performance.now();
    host.ping(pingIntervalMs);
    return null;
  }

  #ended(reason: string): void {
    // Otherwise it could not be started, which `#launch` returns.
    if (!this.#isReady) return;
    this.#isReady = false;
    this.#asks = new WorkQueue(ASKS);
    const isStopping = this.#stopping.signal.aborted;
    for (const { reject } of this.#running.values())
      reject(isStopping ? unavailable() : serviceError("PLUGIN_FAILED"));
    if (!isStopping) void this.#restart(reason);
  }

  async #restart(reason: string): Promise<void> {
    const { signal } = this.#stopping;
    if (performance.now() - this.#readyAtMs > RESTART_BACKOFF.maxMs) this.#failures = 0;
    for (let fault: string | null = reason; fault !== null; fault = await this.#launch()) {
      this.lastError = fault;
      const restartMs = Math.round(backoffMs(this.#failures, RESTART_BACKOFF));
      this.#failures += 1;
      this.#options.logger.error(
        { plugin: this.#options.plugin.manifest.name, reason: fault, restartMs },
        "plug-in ended",
      );
      await delay(restartMs, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted) return;
      this.restarts += 1;
    }
  }

  /** @returns whether the server has waited for it */
  #receive(host: HostProcess, message: FromHost): boolean {
    if (host !== this.#host) return false;
    if (message.type === "ask") void this.#answer(host, message);
    if (message.type !== "done" && message.type !== "failed") return false;
    const running = this.#running.get(message.id);
    if (running === undefined) return false;
    if (message.type === "failed") running.reject(toServiceError(message.error, running.failures));
    else if (isTooDeep(message.data)) {
      this.#warn({}, `plug-in returned data nested more than ${DEPTH_MAX} levels deep`);
      running.reject(serviceError("PLUGIN_FAILED"));
    } else running.resolve(message.data);
    return true;
  }

  async #answer(host: HostProcess, { id, of, what, args }: AskMessage): Promise<void> {
    const running = () => (of === null ? undefined : this.#running.get(of));
    try {
      if (isTooDeep(args))
        throw new Error(`A request must not be nested more than ${DEPTH_MAX} levels deep.`);
      await this.#asks.run(async () => {
        if (host.isEnded) return;
        const data = await this.#options.serve(what, args, running()?.handling ?? null);
        const answer = { type: "answer", id, ok: true, data: data ?? null } as const;
        this.#lastAnswer = sendAfter(this.#lastAnswer, host, answer);
        await this.#lastAnswer;
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const failed = error instanceof ServiceError ? error : undefined;
      // Errors of a session are for its client, which would log in and call again.
      if (failed !== undefined && failed.code !== 401) running()?.failures.set(failed.type, failed);
      host.send({
        type: "answer",
        id,
        ok: false,
        reason,
        ...(failed && { code: failed.type, data: failed.data }),
      });
    }
  }

  /** Logs what a plug-in can cause as often as it likes. */
  #warn(fields: object, text: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#logged.sinceMs > 60_000) this.#logged = { lines: 0, sinceMs: nowMs };
    this.#logged.lines += 1;
    if (this.#logged.lines <= LOGGED_LINES_PER_MINUTE)
      this.#options.logger.warn({ plugin: this.#options.plugin.manifest.name, ...fields }, text);
  }
}

/** Sends one answer after the other, so that each waits until the plug-in has read the one before. */
async function sendAfter(before: Promise<void>, host: HostProcess, answer: ToHost): Promise<void> {
  await before.catch(() => {});
  await host.untilRead();
  host.send(answer);
}

/** What plugin.json declares and the program lacks. */
function missing(
  { manifest: { server } }: Plugin,
  { actions, events }: { actions: string[]; events: string[] },
): string | null {
  const lacks = Object.keys(server!.actions).filter((name) => !actions.includes(name));
  if (lacks.length > 0) return `has no action ${lacks.join(", ")}, which plugin.json declares.`;
  const deaf = server!.events.filter((name) => !events.includes(name));
  return deaf.length === 0 ? null : `has no handler of ${deaf.join(", ")}, which plugin.json declares.`;
}

function isTooDeep(data: unknown, levels: number = DEPTH_MAX): boolean {
  if (typeof data !== "object" || data === null) return false;
  return levels === 0 || Object.values(data).some((value) => isTooDeep(value, levels - 1));
}

/** @param failures of its calls */
function toServiceError(error: HostError, failures: ReadonlyMap<string, ServiceError>): ServiceError {
  if (error.kind === "refused") return serviceError("PLUGIN_REFUSED", { reason: error.reason });
  if (error.kind === "invalid") return serviceError("VALIDATION_FAILED", { issues: error.issues });
  const passed = error.kind === "passed" ? failures.get(error.code) : undefined;
  return passed ?? serviceError("PLUGIN_FAILED");
}
