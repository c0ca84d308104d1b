import type { Result, WireAnswer } from "@fanfare/contract";
import { randomUUID } from "node:crypto";
import { openCaller } from "../socket-io-caller.ts";
import type { Sender } from "../target.ts";
import { ApiError } from "./api.ts";

/** The owner of the group, with the official client. */
export async function openFanfareSender(url: string, token: string, channelId: string): Promise<Sender> {
  const { call, close } = await openCaller(url, { auth: { token } }, "ready").catch(
    (error: Error & { data?: { type?: string } }) => {
      throw new ApiError("connect", error.data?.type ?? "CONNECT_ERROR", error.message, undefined);
    },
  );
  return {
    send: async (content) => {
      const params = { channelId, content, nonce: randomUUID() };
      const answer = (await call("message.send", params)) as WireAnswer<Result<"message.send">>;
      if (!answer.ok) throw new Error(answer.error.type);
    },
    close,
  };
}
