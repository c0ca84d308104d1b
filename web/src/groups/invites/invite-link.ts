import { invitePath } from "../../routes.ts";

/** What to send to somebody. */
export function inviteLink(code: string): string {
  return new URL(invitePath(code), location.origin).href;
}
