import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { connectError, usageError } from "../../cli/exit.ts";
import { processUsage } from "../../kernels/broadcast/resource-use.ts";
import { freePort } from "../../platform/programs.ts";
import { count } from "../../report/format.ts";
import { DIALECTS } from "../dialect.ts";
import type { ChatServer, PluginOptions, Sender, TargetPlugin } from "../plugin.ts";
import { openCaller } from "../socket-io-caller.ts";
import { SENDER } from "./server.ts";

/** A bare server in its own process, which exits when this process does in any way. */
async function startBareServer(
  file: URL,
  { processes = 1, cores }: Pick<PluginOptions, "processes" | "cores">,
  openSender: (url: string) => Promise<Sender>,
): Promise<ChatServer> {
  const port = await freePort();
  const child = fork(fileURLToPath(file), [String(port), String(processes)], {
    ...(cores !== undefined && {
      execPath: "taskset",
      execArgv: ["--cpu-list", cores, process.execPath],
    }),
    // Ctrl-C reaches the whole process group; this process decides when the server exits.
    detached: true,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  await Promise.race([once(child, "message"), exited]);
  if (hasExited())
    throw connectError(`The bare server ${file.href} did not start (exit code ${child.exitCode}).`);
  const url = `http://127.0.0.1:${port}`;
  return {
    urls: [url],
    isThrowaway: true,
    size: count(processes, "process", "processes"),
    openSender: () => openSender(url),
    async usage() {
      const usage = processUsage(child.pid!);
      return usage && { ...usage, eventLoopMaxMs: null };
    },
    async close() {
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
const bare = (
  name: "socket.io" | "ws",
  file: URL,
  openSender: (url: string, token?: string) => Promise<Sender>,
): TargetPlugin => ({
  name,
  dialect: DIALECTS[name],
  async open({ url, existing, ...place }) {
    if (existing && name === "ws") throw usageError("--target ws has no access tokens: omit --tokens.");
    if (url === undefined) return startBareServer(file, place, openSender);
    return { urls: [url], openSender: () => openSender(url, existing?.senderToken), close: async () => {} };
  },
});

export const bareSocketIo = bare(
  "socket.io",
  new URL("./socket-io-server.ts", import.meta.url),
  openSocketIoSender,
);
export const bareWs = bare("ws", new URL("./ws-server.ts", import.meta.url), openWsSender);
