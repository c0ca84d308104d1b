import { createHmac, timingSafeEqual } from "node:crypto";
import type { NodeContext } from "@fanfare/kernel";

const PURPOSE = "unsubscribe";
const FORMAT = /^([0-9a-f]{24})\.([\w-]{43})$/;

const signatureOf = (userId: string, key: Buffer): Buffer =>
  createHmac("sha256", key).update(userId).digest();

/** The path of the link, also for `List-Unsubscribe`. It works as long as the server's secret does, because emails are kept. */
export function unsubscribePath(node: Pick<NodeContext, "keyFor">, userId: string): string {
  const signature = signatureOf(userId, node.keyFor(PURPOSE)).toString("base64url");
  return `/unsubscribe?token=${userId}.${signature}`;
}

/** @returns the id of the user whom the token was made for; null: it is invalid */
export function userOfUnsubscribeToken(
  node: Pick<NodeContext, "keyFor" | "previousKeyFor">,
  token: string,
): string | null {
  const [, userId, signature] = FORMAT.exec(token) ?? [];
  if (userId === undefined || signature === undefined) return null;
  const given = Buffer.from(signature, "base64url");
  const keys = [node.keyFor(PURPOSE), node.previousKeyFor(PURPOSE)];
  const isSigned = keys.some((key) => key !== null && timingSafeEqual(signatureOf(userId, key), given));
  return isSigned ? userId : null;
}
