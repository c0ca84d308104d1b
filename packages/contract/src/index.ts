export type { Actor, CallClient, CallMeta } from "./actor.ts";
export * from "./actions.ts";
export { ChannelSyncSchema, type ChannelSync } from "./actions/channel.ts";
export type {
  ActionDefinition,
  ActionRateLimit,
  AuditTarget,
  EventDefinition,
  RateLimit,
  Subscription,
  Transport,
} from "./define.ts";
export { DOMAIN_EVENTS, type DomainEventName, type DomainEvents } from "./domain-events.ts";
export type {
  Attachment,
  Channel,
  AdminAuditEntry,
  AdminUser,
  DeadJob,
  AuditEntry,
  Ban,
  Bot,
  BotEvent,
  ChannelState,
  Command,
  Embed,
  FileUrl,
  Friend,
  FriendRequest,
  GatewayStep,
  Group,
  Head,
  HeldToken,
  InboxItem,
  InboxMarker,
  InstancePolicy,
  Invite,
  Invocation,
  Locale,
  Maintenance,
  Member,
  Mentions,
  Message,
  MetricsStep,
  NotificationSetting,
  OwnUser,
  PolicyName,
  Override,
  Presence,
  Reaction,
  Role,
  Reach,
  Session,
  SessionTokens,
  StoredFile,
  StoredPolicy,
  UnreadChannel,
  User,
  WordFilter,
  Webhook,
} from "./entities.ts";
export { InstancePolicySchema } from "./entities.ts";
export * from "./errors.ts";
export * from "./events.ts";
export {
  GROUP_FILE_FORMAT,
  GROUP_FILE_VERSION,
  GroupFileLineSchema,
  type GroupFileContent,
  type GroupFileLine,
  type GroupFileLineOf,
} from "./group-file.ts";
export { LIMITS } from "./limits.ts";
export { listChannels } from "./list-channels.ts";
export { mentionKey, parseMentions } from "./mentions.ts";
export * from "./permissions.ts";
export * from "./rooms.ts";
export { botScope, type BotScope } from "./scopes.ts";
export { ESSENTIAL_SERVICES, SERVICES, type ServiceName } from "./services.ts";
export * from "./wire.ts";
