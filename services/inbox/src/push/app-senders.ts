import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import type { Config } from "@fanfare/kernel";
import { createSigner } from "fast-jwt";
import { APP_RESPONSE_MAX_BYTES, PUSH_TIMEOUT_MS } from "../constants.ts";

/** What an app shows. */
export interface AppPush {
  title: string;
  /** Can be empty. */
  body: string;
  /** Opens the message in the app. */
  link: string;
  /** A newer push replaces the shown one with the same tag. */
  tag: string;
}

type AppDelivery =
  | { outcome: "sent" }
  /** The app was removed, or its token was never valid. */
  | { outcome: "gone" }
  /** Another try can't succeed unless the operator changes the settings. */
  | { outcome: "refused"; reason: string }
  /** The service is overloaded and says how long. */
  | { outcome: "later"; at: Date };

/** Sends to the apps of one service. */
export interface AppSender {
  /** @throws if another try can succeed */
  send(token: string, push: AppPush, expiresAt: Date, signal: AbortSignal): Promise<AppDelivery>;
  stop(): void;
}

/** The object of a service's answer; empty if it isn't one or is too long. */
async function readAnswer(chunks: AsyncIterable<Uint8Array> | null): Promise<object> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks ?? []) {
    bytes += chunk.length;
    if (bytes > APP_RESPONSE_MAX_BYTES) return {};
    read.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(read).toString());
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

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

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ASSERTION_LIFETIME_MS = 60 * 60_000;
/** An access token is replaced this long before it expires. */
const EARLY_MS = 5 * 60_000;
const MIN_WAIT_MS = 1000;

interface FcmError {
  error?: { status?: string; message?: string; details?: { errorCode?: string }[] };
}

/** Firebase Cloud Messaging, API v1: https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages */
export function createFcm(account: NonNullable<Config["appPush"]["fcm"]>): AppSender {
  let access: Promise<string> | undefined;
  let replacedAtMs = Infinity;

  const requestAccess = async (): Promise<string> => {
    const key = { key: account.privateKey, algorithm: "RS256" as const };
    const claims = { iss: account.email, aud: account.tokenUrl, expiresIn: ASSERTION_LIFETIME_MS };
    const assertion = createSigner({ ...key, ...claims })({ scope: SCOPE });
    const response = await fetch(account.tokenUrl, {
      method: "POST",
      body: new URLSearchParams({ grant_type: GRANT, assertion }),
      signal: AbortSignal.timeout(PUSH_TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`${account.tokenUrl} responded with ${response.status}`);
    const answer = (await readAnswer(response.body)) as { access_token?: string; expires_in?: number };
    const { access_token: token, expires_in: seconds } = answer;
    if (token === undefined || seconds === undefined)
      throw new Error(`${account.tokenUrl} responded without an access token`);
    replacedAtMs = Date.now() + seconds * 1000 - EARLY_MS;
    return token;
  };

  const forget = (): void => {
    access = undefined;
    replacedAtMs = Infinity;
  };

  const accessToken = (): Promise<string> => {
    if (Date.now() >= replacedAtMs) forget();
    access ??= requestAccess().catch((error: unknown) => {
      forget();
      throw error;
    });
    return access;
  };

  return {
    async send(token, { title, body, link, tag }, expiresAt, signal) {
      const ttl = `${Math.max(0, Math.round((expiresAt.getTime() - Date.now()) / 1000))}s`;
      const message = {
        token,
        notification: { title, body },
        data: { link },
        android: { priority: "HIGH", ttl, notification: { tag } },
      };
      const used = accessToken();
      const response = await fetch(account.url, {
        method: "POST",
        headers: { authorization: `Bearer ${await used}`, "content-type": "application/json" },
        body: JSON.stringify({ message }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(PUSH_TIMEOUT_MS)]),
      });
      const { error } = (await readAnswer(response.body)) as FcmError;
      const { status } = response;
      if (status < 300) return { outcome: "sent" };
      const reason = error?.details?.find(({ errorCode }) => errorCode !== undefined)?.errorCode;
      const isInvalid = reason === "INVALID_ARGUMENT" && /registration token/i.test(error?.message ?? "");
      if (reason === "UNREGISTERED" || isInvalid) return { outcome: "gone" };
      if (status === 401 && access === used) forget();
      if (status === 401 || status === 429 || status >= 500) {
        const at = timeOf(response.headers.get("retry-after"));
        if (at !== null) return { outcome: "later", at };
        throw new Error(`FCM responded with ${status}`);
      }
      return { outcome: "refused", reason: `${status} ${reason ?? error?.status ?? ""}`.trim() };
    },
    stop() {},
  };
}

/** The time of a Retry-After header, which has seconds or a date. */
function timeOf(retryAfter: string | null): Date | null {
  if (retryAfter === null) return null;
  const nowMs = Date.now();
  const atMs = /^\d+$/.test(retryAfter) ? nowMs + Number(retryAfter) * 1000 : Date.parse(retryAfter);
  return Number.isNaN(atMs) ? null : new Date(Math.max(atMs, nowMs + MIN_WAIT_MS));
}
