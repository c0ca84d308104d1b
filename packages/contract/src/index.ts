export * from "./actions.ts";
export { ChannelSyncSchema, type ChannelSync } from "./actions/channel.ts";
export type {
  ActionDefinition,
  ActionRateLimit,
  EventDefinition,
  RateLimit,
  Subscription,
  Transport,
} from "./define.ts";
export type {
  Channel,
  AuditEntry,
  Ban,
  ChannelState,
  Friend,
  FriendRequest,
  Group,
  Head,
  Invite,
  Locale,
  Member,
  Message,
  OwnUser,
  Override,
  Presence,
  Role,
  Reach,
  SessionTokens,
  User,
} from "./entities.ts";
export * from "./errors.ts";
export * from "./events.ts";
export { LIMITS } from "./limits.ts";
export * from "./permissions.ts";
export * from "./rooms.ts";
export * from "./wire.ts";
