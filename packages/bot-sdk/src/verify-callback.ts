import { createHmac, timingSafeEqual } from "node:crypto";

const MAX_AGE_S = 300;

export interface CallbackHeaders {
  /** `fanfare-timestamp` */
  timestamp: string;
  /** `fanfare-signature` */
  signature: string;
}

/**
 * Whether a callback comes from the server that has the secret, and is not an old one sent again.
 * @param body exactly as it came, before it is parsed
 */
export function verifyCallback(
  secret: string,
  body: string,
  { timestamp, signature }: CallbackHeaders,
  nowMs = Date.now(),
): boolean {
  const ageS = Math.abs(nowMs / 1000 - Number(timestamp));
  if (!(ageS <= MAX_AGE_S)) return false;
  const expected = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  const [given, wanted] = [Buffer.from(signature), Buffer.from(`v1=${expected}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
