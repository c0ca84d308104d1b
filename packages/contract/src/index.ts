export type { Actor, CallClient, CallMeta } from "./actor.ts";
export * from "./actions.ts";
export { mapCards, mapControls, markdownOf, textOf, urlsOf } from "./cards.ts";
export type { ProvisionedChanges, ProvisionedFilter, ProvisionedUser } from "./actions/provisioning.ts";
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
  Poll,
  Channel,
  AdminAuditEntry,
  AdminUser,
  DeadJob,
  AuditEntry,
  Ban,
  Bot,
  BotEvent,
  BotMessageEvent,
  Branding,
  Card,
  ChannelState,
  Command,
  Control,
  CustomStatus,
  Embed,
  Emoji,
  EmojiKind,
  EndedCall,
  Ephemeral,
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
  Interaction,
  Invite,
  Invocation,
  JoinRequest,
  LegalHold,
  ListedGroup,
  OwnJoinRequest,
  Maintenance,
  PictureOf,
  Member,
  MemberChange,
  Mentions,
  Message,
  MessageContext,
  MessageExcerpt,
  MessageRuleName,
  MessageRules,
  MetricsStep,
  Nickname,
  NotificationPreferences,
  NotificationSetting,
  OngoingCall,
  OwnUser,
  Passkey,
  PolicyName,
  Override,
  Presence,
  Reaction,
  MessageTemplate,
  Recording,
  Report,
  ReportOutcome,
  ReportReason,
  Role,
  Reach,
  Session,
  SessionTokens,
  Sticker,
  StoredFile,
  StoredPolicy,
  Draft,
  SavedMessage,
  SavedSearch,
  ScheduledMessage,
  UnreadChannel,
  User,
  WordFilter,
  Webhook,
} from "./entities.ts";
export {
  cards as cardsSchema,
  emojiName,
  InstancePolicySchema,
  isMessageEvent,
  isVisible,
  links as linksSchema,
} from "./entities.ts";
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
export { EMOJI_LIMITS, LIMITS, type Locale, LOCALES } from "./limits.ts";
export { listChannels } from "./list-channels.ts";
export {
  MESSAGE_FILE_FORMAT,
  MESSAGE_FILE_VERSION,
  type MessageFileContent,
  type MessageFileLine,
  type PlaceLine,
} from "./message-file.ts";
export { mentionKey, parseMentions } from "./mentions.ts";
export * from "./permissions.ts";
export * from "./rooms.ts";
export { botScope, type BotScope } from "./scopes.ts";
export { ESSENTIAL_SERVICES, SERVICES, type ServiceName } from "./services.ts";
export * from "./wire.ts";
