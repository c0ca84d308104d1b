export { groupFile } from "./group-file.ts";
export type { GroupSource, Page, ReactionPosition } from "./group-source.ts";
export {
  channelLine,
  groupLine,
  memberLine,
  messageLine,
  roleLine,
  userLine,
  type StoredChannel,
  type StoredGroup,
  type StoredMember,
  type StoredMessage,
  type StoredRole,
  type StoredUser,
} from "./lines-of.ts";
export { MENTION } from "./mentioned.ts";
