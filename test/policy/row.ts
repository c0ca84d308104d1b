import type { ActionName, ErrorCode, Params } from "@fanfare/contract";
import type { World } from "@fanfare/testing";

export const ACTORS = ["anonymous", "stranger", "member", "muted", "owner"] as const;
export type ActorName = (typeof ACTORS)[number];

/** "ok", or the error that the actor must get. */
export type Outcome = "ok" | ErrorCode;
export type Row = [outcomes: Record<ActorName, Outcome>, params: (world: World) => unknown];

export const row = <N extends ActionName>(
  _name: N,
  outcomes: Record<ActorName, Outcome>,
  params: (world: World) => Params<N>,
): Row => [outcomes, params];

export const outcomes = (
  anonymous: Outcome,
  stranger: Outcome,
  member: Outcome,
  muted: Outcome,
  owner: Outcome,
) => ({
  anonymous,
  stranger,
  member,
  muted,
  owner,
});

export const everybody = outcomes("ok", "ok", "ok", "ok", "ok");
export const loggedIn = outcomes("UNAUTHENTICATED", "ok", "ok", "ok", "ok");
export const inGroup = outcomes("UNAUTHENTICATED", "GROUP_NOT_FOUND", "ok", "ok", "ok");
export const inChannel = outcomes("UNAUTHENTICATED", "CHANNEL_NOT_FOUND", "ok", "ok", "ok");
export const groupOwner = outcomes("UNAUTHENTICATED", "GROUP_NOT_FOUND", "FORBIDDEN", "FORBIDDEN", "ok");
export const channelOwner = outcomes("UNAUTHENTICATED", "CHANNEL_NOT_FOUND", "FORBIDDEN", "FORBIDDEN", "ok");
/** The world's people are guests. */
export const accountsOnly = outcomes(
  "UNAUTHENTICATED",
  "GUEST_NOT_ALLOWED",
  "GUEST_NOT_ALLOWED",
  "GUEST_NOT_ALLOWED",
  "GUEST_NOT_ALLOWED",
);
/** Nobody of the world runs the instance. */
export const adminsOnly = outcomes("UNAUTHENTICATED", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN");

let names = 0;
export const freshName = (): string => `matrix${(names += 1)}-${Date.now().toString(36)}`;
export const password = "correct horse";
export const targetOf = ({ group, target }: World) => ({ groupId: group.id, userId: target.userId });
export const messageOf = ({ channel, message }: World) => ({ channelId: channel.id, messageId: message.id });
