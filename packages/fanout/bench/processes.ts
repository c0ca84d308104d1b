import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type Candidate, type FromReceiver, type FromServer, nodeOptions } from "./protocol.ts";

/** The server and receiver processes of a candidate. */
export interface Pair {
  readonly server: ChildProcess;
  readonly receiver: ChildProcess;
  readonly port: number;
}

/** Resolves with the next message of this kind; rejects if the process exits first. */
export function next<T extends { kind: string }, K extends T["kind"]>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<T, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error(`a benchmark process exited before sending "${kind}"`));
    child.once("exit", onExit);
    const onMessage = (message: T): void => {
      if (message.kind !== kind) return;
      child.off("message", onMessage);
      child.off("exit", onExit);
      resolve(message as Extract<T, { kind: K }>);
    };
    child.on("message", onMessage);
  });
}

export async function start(candidate: Candidate): Promise<Pair> {
  const server = fork(new URL("./server.ts", import.meta.url), [candidate], {
    execArgv: nodeOptions(candidate),
  });
  const { port } = await next<FromServer, "listening">(server, "listening");
  return { server, receiver: fork(new URL("./receiver.ts", import.meta.url)), port };
}

export async function connectAll({ receiver, port }: Pair, sockets: number, network: number): Promise<void> {
  const ready = next<FromReceiver, "ready">(receiver, "ready");
  receiver.send({ kind: "connect", port, sockets, network });
  await ready;
}

export async function end({ server, receiver }: Pair): Promise<void> {
  const ended = [once(server, "exit"), once(receiver, "exit")];
  receiver.disconnect();
  server.disconnect();
  await Promise.all(ended);
}
