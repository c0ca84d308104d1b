export { channelDocument, groupDocument, messageDocument, roleDocument, type Ids } from "./documents.ts";
export { InvalidLineError, readGroupFile, splitLines, type NumberedLine } from "./read-group-file.ts";
export { createGroupChecker, type Survey } from "./group-checker.ts";
export {
  encodeGroupFile,
  encodeLines,
  groupFile,
  readPages,
  groupOfServices,
  type ReactionPosition,
} from "./group-file.ts";
export { channelLine, groupLine, memberLine, messageLine, roleLine, userLine } from "./lines-of.ts";
export { createNewIds } from "./new-ids.ts";
export { newSalt } from "./new-salt.ts";
