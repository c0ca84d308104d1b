import { createHmac } from "node:crypto";

/** The headers of a callback: who knows the secret can tell that it is ours, and not an old one sent again. */
export function signedHeaders(
  secret: string,
  body: string,
  deliveryId: string,
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return {
    "content-type": "application/json",
    "fanfare-delivery": deliveryId,
    "fanfare-timestamp": timestamp,
    "fanfare-signature": `v1=${signature}`,
  };
}
