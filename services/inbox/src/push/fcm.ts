import type { Config } from "@fanfare/kernel";
import { createSigner } from "fast-jwt";
import { PUSH_TIMEOUT_MS } from "../constants.ts";
import { type AppSender, readAnswer } from "./app-sender.ts";

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
