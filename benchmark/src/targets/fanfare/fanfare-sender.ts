import type { Result, WireAnswer } from "@fanfare/contract";
import { randomUUID } from "node:crypto";
import { io } from "socket.io-client";
import type { Sender } from "../target.ts";
import { ApiError } from "./api.ts";

const ACK_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 30_000;

/** The owner of the group, with the official client. */
export async function openFanfareSender(url: string, token: string, channelId: string): Promise<Sender> {
  const socket = io(url, {
    transports: ["websocket"],
    forceNew: true,
    reconnection: false,
    timeout: CONNECT_TIMEOUT_MS,
    auth: { token },
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("ready", () => resolve());
    socket.once("connect_error", (error: Error & { data?: { type?: string } }) =>
      reject(new ApiError("connect", error.data?.type ?? "CONNECT_ERROR", error.message, undefined)),
    );
  });
  return {
    send: async (content) => {
      if (!socket.connected) throw new Error("SENDER_DISCONNECTED");
      const params = { channelId, content, nonce: randomUUID() };
      const answer = (await socket.timeout(ACK_TIMEOUT_MS).emitWithAck("message.send", params)) as WireAnswer<
        Result<"message.send">
      >;
      if (!answer.ok) throw new Error(answer.error.type);
    },
    close: () => socket.disconnect(),
  };
}
