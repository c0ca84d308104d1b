import { once } from "node:events";
import { io } from "socket.io-client";
import { WebSocket } from "ws";
import type { Sender } from "../target.ts";
import { SENDER } from "./messages.ts";

const ACK_TIMEOUT_MS = 60_000;

export async function openSocketIoSender(url: string, token?: string): Promise<Sender> {
  const socket = io(url, {
    transports: ["websocket"],
    forceNew: true,
    reconnection: false,
    auth: { role: SENDER, ...(token !== undefined && { token }) },
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return {
    send: async (content) => {
      if (!socket.connected) throw new Error("SENDER_DISCONNECTED");
      await socket.timeout(ACK_TIMEOUT_MS).emitWithAck("message.send", content);
    },
    close: () => socket.disconnect(),
  };
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
