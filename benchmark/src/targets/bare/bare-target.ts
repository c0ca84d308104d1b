import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { connectError, usageError } from "../../cli/exit.ts";
import { DIALECTS } from "../dialect.ts";
import type { PluginOptions, TargetPlugin } from "../plugin.ts";
import { openCaller } from "../socket-io-caller.ts";
import type { Sender, ServerUsage } from "../target.ts";
import { SENDER, type FromBareServer, type ToBareServer } from "./messages.ts";

const USAGE_TIMEOUT_MS = 5000;

/** A bare server in its own process, which exits when this process does in any way. */
class BareProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /**
   * @param processes how many processes share the port
   * @param cores the processors they run on, as in `taskset --cpu-list`; default: all
   */
  static async start(
    file: URL,
    { processes = 1, cores }: { processes?: number; cores?: string } = {},
  ): Promise<BareProcess> {
    const pinning =
      cores === undefined ? {} : { execPath: "taskset", execArgv: ["--cpu-list", cores, process.execPath] };
    const child = fork(fileURLToPath(file), [String(processes)], {
      ...pinning,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const exited = once(child, "exit").then(([code]) => {
      throw connectError(`The bare server ${file.href} did not start (exit code ${Number(code)}).`);
    });
    const [first] = (await Promise.race([once(child, "message"), exited])) as [FromBareServer];
    exited.catch(() => {});
    if (first.type !== "listening")
      throw connectError(`The bare server ${file.href} did not report its port.`);
    return new BareProcess(child, first.port);
  }

  /** null if it doesn't answer in time. */
  async usage(restartLoopDelay: boolean): Promise<ServerUsage | null> {
    if (!this.#child.connected) return null;
    const signal = AbortSignal.timeout(USAGE_TIMEOUT_MS);
    try {
      const answer = once(this.#child, "message", { signal });
      this.#child.send({ type: "usage", restartLoopDelay } satisfies ToBareServer);
      const [message] = (await answer) as [FromBareServer];
      return message.type === "usage" ? message.usage : null;
    } catch {
      return null;
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}

async function openSocketIoSender(url: string, token?: string): Promise<Sender> {
  const { call, close } = await openCaller(url, { auth: { role: SENDER, token } });
  return { send: async (content) => void (await call("message.send", content)), close };
}

async function openWsSender(url: string): Promise<Sender> {
  const socket = new WebSocket(new URL(SENDER, url), { perMessageDeflate: false });
  await once(socket, "open");
  let number = 0;
  const waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  socket.on("message", (data: Buffer) => {
    const acknowledged = JSON.parse(data.toString()) as number;
    waiting.get(acknowledged)?.resolve();
    waiting.delete(acknowledged);
  });
  socket.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("SENDER_DISCONNECTED"));
  });
  return {
    send: (content) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== WebSocket.OPEN) reject(new Error("SENDER_DISCONNECTED"));
        waiting.set(++number, { resolve, reject });
        socket.send(JSON.stringify([number, content]), (error) => error && reject(error));
      }),
    close: () => socket.close(),
  };
}

/**
 * Servers without a platform: the limits of the machine and the library. Started for the run; with --url, a
 * running server with the same messages.
 */
export const bareSocketIo: TargetPlugin = bare(
  "socket.io",
  new URL("./socket-io-server.ts", import.meta.url),
  openSocketIoSender,
);
export const bareWs: TargetPlugin = bare("ws", new URL("./ws-server.ts", import.meta.url), openWsSender);

function bare(
  name: "socket.io" | "ws",
  file: URL,
  openSender: (url: string, token?: string) => Promise<Sender>,
): TargetPlugin {
  return {
    name,
    dialect: DIALECTS[name],
    async open({ url, existing, processes, cores }: PluginOptions) {
      if (existing && name === "ws") throw usageError("--target ws has no access tokens: omit --tokens.");
      if (url !== undefined)
        return {
          urls: [url],
          openSender: () => openSender(url, existing?.senderToken),
          close: async () => {},
        };
      const server = await BareProcess.start(file, { processes, cores });
      const address = `http://127.0.0.1:${server.port}`;
      return {
        urls: [address],
        isThrowaway: true,
        openSender: () => openSender(address),
        usage: () => server.usage(true),
        cpuSeconds: async () => (await server.usage(false))?.cpuSeconds ?? null,
        close: () => server.stop(),
      };
    },
  };
}
