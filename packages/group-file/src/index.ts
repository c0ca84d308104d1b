export { channelDocument, groupDocument, messageDocument, roleDocument, type Ids } from "./documents.ts";
export { InvalidLineError } from "./invalid-line-error.ts";
export { createGroupChecker, type Survey } from "./group-checker.ts";
export { encodeGroupFile, encodeLines, groupFile, readPages } from "./group-file.ts";
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
export { createNewIds } from "./new-ids.ts";
export { newSalt } from "./new-salt.ts";
export { readGroupFile, splitLines, type NumberedLine } from "./read-group-file.ts";
