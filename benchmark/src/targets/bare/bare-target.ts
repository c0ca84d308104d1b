import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { connectError, usageError } from "../../cli/exit.ts";
import { processUsage } from "../../kernels/broadcast/resource-use.ts";
import { freePort } from "../../platform/programs.ts";
import { count } from "../../report/format.ts";
import { DIALECTS } from "../dialect.ts";
import type { PluginOptions, TargetPlugin } from "../plugin.ts";
import { openCaller } from "../socket-io-caller.ts";
import type { Sender, ServerUsage } from "../target.ts";
import { SENDER } from "./messages.ts";

/**
 * A bare server in its own process, which exits when this process does in any way.
 * @param processes how many processes share the port
 * @param cores the processors they run on, as in `taskset --cpu-list`; default: all
 */
async function startBareServer(file: URL, processes = 1, cores?: string) {
  const port = await freePort();
  const pinning =
    cores === undefined ? {} : { execPath: "taskset", execArgv: ["--cpu-list", cores, process.execPath] };
  const child = fork(fileURLToPath(file), [String(port), String(processes)], {
    ...pinning,
    // Ctrl-C reaches the whole process group; this process decides when the server exits.
    detached: true,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  await Promise.race([once(child, "message"), exited]);
  if (hasExited())
    throw connectError(`The bare server ${file.href} did not start (exit code ${child.exitCode}).`);
  return {
    url: `http://127.0.0.1:${port}`,
    async usage(): Promise<ServerUsage | null> {
      const usage = processUsage(child.pid!);
      return usage && { ...usage, eventLoopMaxMs: null };
    },
    async stop(): Promise<void> {
      if (hasExited()) return;
      child.kill("SIGKILL");
      await exited;
    },
  };
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
      const server = await startBareServer(file, processes, cores);
      return {
        urls: [server.url],
        isThrowaway: true,
        size: count(processes ?? 1, "process", "processes"),
        openSender: () => openSender(server.url),
        usage: () => server.usage(),
        close: () => server.stop(),
      };
    },
  };
}
