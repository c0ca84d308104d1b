import type { NodeContext } from "@fanfare/kernel";

type Signing = Pick<NodeContext, "signerFor">;
const PURPOSE = "unsubscribe";

/** The path of the link, also for `List-Unsubscribe`. It works as long as the server's secret does, because emails are kept. */
export function unsubscribePath(node: Signing, userId: string): string {
  return `/unsubscribe?token=${userId}.${node.signerFor(PURPOSE).sign(userId)}`;
}

/** @returns the id of the user whom the token was made for; null: it is invalid */
export function userOfUnsubscribeToken(node: Signing, token: string): string | null {
  const at = token.indexOf(".");
  const userId = token.slice(0, at);
  return node.signerFor(PURPOSE).verify(userId, token.slice(at + 1)) ? userId : null;
}
