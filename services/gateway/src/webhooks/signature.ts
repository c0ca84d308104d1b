import { createHmac, type Hmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Headers with the hexadecimal HMAC-SHA256 of the body, as GitHub, Gitea, Forgejo, Gogs and Sentry send it. */
const SIGNATURES = [
  "x-hub-signature-256",
  "x-gitea-signature",
  "x-forgejo-signature",
  "x-gogs-signature",
  "sentry-hook-signature",
];
/** GitLab sends the secret itself. */
const TOKEN = "x-gitlab-token";

export const hmacWith = (secret: string): Hmac => createHmac("sha256", secret);

/**
 * Whether a request comes from a program that knows the secret.
 * @param hmac of the body
 */
export function isSigned(headers: IncomingHttpHeaders, hmac: Hmac, secret: string): boolean {
  const token = headers[TOKEN];
  if (typeof token === "string" && isSame(token, secret)) return true;
  const expected = hmac.digest("hex");
  return SIGNATURES.some((name) => {
    const value = headers[name];
    return typeof value === "string" && isSame(value.replace(/^sha256=/, "").toLowerCase(), expected);
  });
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
