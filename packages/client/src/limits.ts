import type { ActionName, EventName, LIMITS, PROTOCOL_VERSION } from "@fanfare/contract";

/*
 * What the SDK needs of the contract at run time. The contract is imported for its types only, so that its schemas stay
 * out of browser bundles; the types are literal, so a value that differs from the contract does not compile.
 */

type Limit<N extends keyof typeof LIMITS> = (typeof LIMITS)[N];

export const CHANNELS_PER_SYNC: Limit<"channelsPerSync"> = 100;
export const WRITE_TIMEOUT_MS: Limit<"writeTimeoutMs"> = 10_000;
export const USERS_PER_LOOKUP: Limit<"usersPerLookup"> = 100;
export const WATCHED_USERS: Limit<"watchedUsersPerSocket"> = 500;
export const TYPING_INTERVAL_MS: Limit<"typingIntervalMs"> = 3000;
export const MESSAGE_MAX_CHARS: Limit<"messageMaxChars"> = 4000;
export const OWN_PROTOCOL_VERSION: typeof PROTOCOL_VERSION = 1;

const EVENT_TABLE: Record<EventName, true> = {
  ready: true,
  resync: true,
  "server.draining": true,
  "session.revoked": true,
  "server.announced": true,
  "server.paused": true,
  "server.resumed": true,
  "user.updated": true,
  "account.updated": true,
  "group.joined": true,
  "group.left": true,
  "group.updated": true,
  "group.deleted": true,
  "role.created": true,
  "role.updated": true,
  "role.deleted": true,
  "role.reordered": true,
  "member.joined": true,
  "member.left": true,
  "member.updated": true,
  "channel.created": true,
  "channel.updated": true,
  "channel.deleted": true,
  "channel.closed": true,
  "channel.reordered": true,
  "message.created": true,
  "message.changed": true,
  "reaction.changed": true,
  "message.deleted": true,
  "readMarker.updated": true,
  "presence.changed": true,
  "friend.requested": true,
  "friend.added": true,
  "friend.removed": true,
  "typing.started": true,
  "command.invoked": true,
  "bot.disabled": true,
  "inbox.added": true,
  "inbox.updated": true,
  "notification.updated": true,
};

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENT_TABLE, name);
}

/** Actions that answer by HTTP only: those that hand out tokens or end sessions, and those that need no login. */
export const HTTP_ONLY: ReadonlySet<ActionName> = new Set<ActionName>([
  "user.register",
  "user.login",
  "user.createGuest",
  "user.claimGuest",
  "user.refresh",
  "user.logout",
  "user.logoutAll",
  "user.changePassword",
  "user.deleteMe",
  "user.revokeSession",
  "user.requestPasswordReset",
  "user.resetPassword",
  "user.verifyEmail",
  "user.setupTotp",
  "user.enableTotp",
  "user.disableTotp",
  "user.exchangeOidcCode",
  "user.linkOidc",
  "user.unlinkOidc",
  "invite.preview",
  "webhook.execute",
]);

/** Actions that anyone may call without a token. */
export const PUBLIC: ReadonlySet<ActionName> = new Set<ActionName>([
  "user.register",
  "user.login",
  "user.createGuest",
  "user.refresh",
  "user.requestPasswordReset",
  "user.resetPassword",
  "user.verifyEmail",
  "user.exchangeOidcCode",
  "invite.preview",
  "webhook.execute",
]);
