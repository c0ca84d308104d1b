import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import type { Config } from "@fanfare/kernel";
import { createSigner } from "fast-jwt";
import { PUSH_TIMEOUT_MS } from "../constants.ts";
import { type AppSender, readAnswer } from "./app-sender.ts";

/** Apple accepts provider tokens for an hour, and refuses new ones within 20 minutes. */
const PROVIDER_TOKEN_MS = 50 * 60_000;
const TOO_MANY_TOKENS_WAIT_MS = 4 * 60_000;
const IDLE_MS = 10 * 60_000;

/** Apple's service: https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns */
export function createApns(account: NonNullable<Config["appPush"]["apns"]>): AppSender {
  let session: ClientHttp2Session | undefined;
  let provider: { token: string; endsAtMs: number } | undefined;

  const open = (): ClientHttp2Session => {
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    const opened = connect(account.url);
    // Its requests fail too, and are tried again.
    opened.on("error", () => opened.destroy());
    opened.setTimeout(IDLE_MS, () => opened.close());
    opened.unref();
    session = opened;
    return opened;
  };

  const providerToken = (): string => {
    if (provider === undefined || Date.now() >= provider.endsAtMs) {
      const key = { key: account.key, algorithm: "ES256" as const, kid: account.keyId };
      const token = createSigner({ ...key, iss: account.teamId })({});
      provider = { token, endsAtMs: Date.now() + PROVIDER_TOKEN_MS };
    }
    return provider.token;
  };

  const request = async (headers: OutgoingHttpHeaders, body: string, signal: AbortSignal) => {
    const used = open();
    const timeout = AbortSignal.timeout(PUSH_TIMEOUT_MS);
    try {
      const stream = used.request(headers, { signal: AbortSignal.any([signal, timeout]) });
      const answer = Promise.withResolvers<number>();
      stream.once("response", ({ ":status": status }) => answer.resolve(status ?? 0));
      stream.once("error", answer.reject);
      stream.once("close", () => answer.reject(new Error("APNs closed the connection")));
      stream.end(body);
      const [status, read] = await Promise.all([answer.promise, readAnswer(stream)]);
      const { reason = "" } = read as { reason?: string };
      return { status, reason };
    } catch (error) {
      // The connection can be dead without notice.
      if (timeout.aborted) used.destroy();
      throw error;
    }
  };

  return {
    async send(token, { title, body, link, tag }, expiresAt, signal) {
      const used = providerToken();
      const headers = {
        ":method": "POST",
        ":path": `/3/device/${token}`,
        authorization: `bearer ${used}`,
        "apns-topic": account.topic,
        "apns-push-type": "alert",
        "apns-priority": "10",
        "apns-expiration": String(Math.round(expiresAt.getTime() / 1000)),
        "apns-collapse-id": tag,
      };
      const aps = { alert: { title, body }, sound: "default", "thread-id": tag };
      const { status, reason } = await request(headers, JSON.stringify({ aps, link }), signal);
      if (status === 200) return { outcome: "sent" };
      if (status === 410) return { outcome: "gone" };
      const isExpired = reason === "ExpiredProviderToken";
      // Of pushes sent at once, each is refused, but only the first ends the token.
      if (isExpired && provider?.token === used) provider = undefined;
      if (reason === "TooManyProviderTokenUpdates")
        return { outcome: "later", at: new Date(Date.now() + TOO_MANY_TOKENS_WAIT_MS) };
      if (isExpired || status === 429 || status >= 500)
        throw new Error(`APNs responded with ${status} ${reason}`);
      // Also tokens of another `APNS_SANDBOX` or `APNS_TOPIC`: they work again once that is corrected.
      return { outcome: "refused", reason: `${status} ${reason}`.trim() };
    },
    stop: () => session?.destroy(),
  };
}
