import { once } from "node:events";
import { WebSocket } from "ws";
import type { Sender } from "../target.ts";
import { openCaller } from "../socket-io-caller.ts";
import { SENDER } from "./messages.ts";

export async function openSocketIoSender(url: string, token?: string): Promise<Sender> {
  const { call, close } = await openCaller(url, { auth: { role: SENDER, token } });
  return { send: async (content) => void (await call("message.send", content)), close };
}

export async function openWsSender(url: string): Promise<Sender> {
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
