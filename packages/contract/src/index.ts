export * from "./actions.ts";
export type { ChannelSync } from "./actions/channel.ts";
export type {
  ProvisionedChanges,
  ProvisionedFilter,
  ProvisionedGroup,
  ProvisionedGroupChanges,
  ProvisionedGroupFilter,
  ProvisionedUser,
} from "./actions/provisioning.ts";
export { mapCards, mapControls, markdownOf, textOf, urlsOf } from "./cards.ts";
export type * from "./define.ts";
export type * from "./entities.ts";
export {
  botScope,
  cards as cardsSchema,
  emojiName,
  InstancePolicySchema,
  isMessageEvent,
  isVisible,
  links as linksSchema,
  modalErrors as modalErrorsSchema,
  ModalSchema,
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
  MESSAGE_FILE_FORMAT,
  MESSAGE_FILE_VERSION,
  type MessageFileContent,
  type MessageFileLine,
  type PlaceLine,
} from "./export-files.ts";
export { EMOJI_LIMITS, LIMITS, type Locale, LOCALES } from "./limits.ts";
export { mentionKey, parseMentions } from "./mentions.ts";
export * from "./permissions.ts";
export * from "./rooms.ts";
export * from "./services.ts";
export * from "./wire.ts";
