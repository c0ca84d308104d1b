import { Console } from "node:console";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { Ask, FromHost, HostCaller, HostError, ToHost } from "./protocol.ts";

/*
 * The process of one plug-in. Node's permission model keeps it from the network, other files and other programs: it can only ask the
 * server, over its standard input and output.
 */

interface Action {
  params: z.ZodType;
  handle: (request: object) => unknown;
}
interface LoadedPlugin {
  actions?: Record<string, Action>;
  events?: Record<string, (payload: unknown, request: object) => unknown>;
}

class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** A call of Fanfare failed. */
class CallError extends Error {
  override readonly name = "CallError";
  readonly code: string;
  readonly data: unknown;

  constructor(message: string, code: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const REASON_MAX_CHARS = 300;

const write = process.stdout.write.bind(process.stdout);
// What a plug-in prints goes to the log.
process.stdout.write = process.stderr.write.bind(process.stderr);
globalThis.console = new Console(process.stderr, process.stderr);
// What reaches other processes without being part of the permission model: signals, the debugger, priorities.
for (const name of ["kill", "_kill", "_debugProcess", "_debugEnd"])
  Object.defineProperty(process, name, { value: undefined });
Object.defineProperty(os, "setPriority", { value: undefined });
syncBuiltinESMExports();
// The terminal sends signals to this process too: the server decides when it ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const send = (message: FromHost): void => void write(`${JSON.stringify(message)}\n`);

const asked = new Map<number, { resolve: (data: unknown) => void; reject: (error: Error) => void }>();
let lastAsk = 0;
function ask(what: Ask, args: unknown, of: number | null = null): Promise<unknown> {
  const id = ++lastAsk;
  return new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject });
    send({ type: "ask", id, of, what, args });
  });
}

let plugin: LoadedPlugin = {};

async function start(file: string, settings: Record<string, string>): Promise<void> {
  try {
    const loaded = (await import(pathToFileURL(file).href)) as { default?: unknown };
    if (typeof loaded.default !== "function")
      throw new TypeError("has no default export that is a function: (api) => ({ actions, events })");
    plugin = (await (loaded.default as (api: object) => unknown)({
      z,
      settings: Object.freeze(settings),
      fetch: (url: string, options: object = {}) => ask("fetch", { ...options, url }),
      store: {
        get: (key: string) => ask("get", { key }),
        set: (key: string, value: unknown) => ask("set", { key, value }),
        delete: (key: string) => ask("delete", { key }),
        list: (prefix: string, after?: string) => ask("list", { prefix, after }),
      },
      refuse: (reason: string) => new RefusedError(reason),
    })) as LoadedPlugin;
    send({
      type: "ready",
      actions: Object.keys(plugin.actions ?? {}),
      events: Object.keys(plugin.events ?? {}),
    });
  } catch (error) {
    send({
      type: "unusable",
      reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
}

function act(id: number, name: string, params: unknown, caller: HostCaller): Promise<unknown> {
  const { params: schema, handle } = plugin.actions![name]!;
  const call = (action: string, given: unknown) => ask("call", { action, params: given }, id);
  return Promise.resolve(handle({ params: schema.parse(params), caller, call, publish: publishOf(id) }));
}

function notify(id: number, name: string, payload: unknown): unknown {
  const callAs = (userId: string, action: string, params: unknown) =>
    ask("call", { userId, action, params }, id);
  return plugin.events![name]!(payload, { callAs, publish: publishOf(id) });
}

const publishOf = (id: number) => (key: string, data: unknown) => ask("publish", { key, data }, id);

async function run(id: number, work: () => unknown): Promise<void> {
  try {
    send({ type: "done", id, data: (await work()) ?? null });
  } catch (error) {
    send({ type: "failed", id, error: toHostError(error) });
  }
}

function toHostError(error: unknown): HostError {
  if (error instanceof RefusedError)
    return { kind: "refused", reason: error.message.slice(0, REASON_MAX_CHARS) };
  if (error instanceof CallError) return { kind: "passed", code: error.code, data: error.data };
  if (error instanceof z.ZodError) {
    const issues = error.issues.slice(0, 10).map(({ path, message }) => ({ path: path.join("."), message }));
    return { kind: "invalid", issues };
  }
  console.error(error);
  return { kind: "failed" };
}

function receive(message: ToHost): void {
  switch (message.type) {
    case "start":
      void start(message.file, message.settings);
      return;
    case "action":
      void run(message.id, () => act(message.id, message.name, message.params, message.caller));
      return;
    case "event":
      void run(message.id, () => notify(message.id, message.name, message.payload));
      return;
    case "answer": {
      const waiting = asked.get(message.id);
      asked.delete(message.id);
      if (message.ok) waiting?.resolve(message.data);
      else {
        const { reason, code, data } = message;
        waiting?.reject(code === undefined ? new Error(reason) : new CallError(reason, code, data));
      }
      return;
    }
    case "ping":
      send({ type: "pong", id: message.id });
  }
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop()!;
  for (const line of lines) receive(JSON.parse(line) as ToHost);
});
// The server has ended.
process.stdin.on("end", () => process.exit());
