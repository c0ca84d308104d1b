import { io } from "socket.io-client";
import * as msgpack from "socket.io-msgpack-parser";
import type { Sender } from "../target.ts";
import { JOIN_ROOMS, type TailchatAnswer } from "./tailchat-dialect.ts";

const ACK_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 30_000;

/** The owner of the group, with the official client. */
export async function openTailchatSender(
  url: string,
  token: string,
  place: { groupId: string; converseId: string },
): Promise<Sender> {
  const socket = io(url, {
    transports: ["websocket"],
    forceNew: true,
    reconnection: false,
    timeout: CONNECT_TIMEOUT_MS,
    parser: msgpack,
    auth: { token },
  });
  const call = async (event: string, params: object) => {
    if (!socket.connected) throw new Error("SENDER_DISCONNECTED");
    const answer = (await socket.timeout(ACK_TIMEOUT_MS).emitWithAck(event, params)) as TailchatAnswer;
    if (!answer.result) throw new Error(answer.message ?? "REFUSED");
  };
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  await call(JOIN_ROOMS, {});
  return {
    send: (content) => call("chat.message.sendMessage", { ...place, content }),
    close: () => socket.disconnect(),
  };
}
