export {
  channelDocument,
  groupDocument,
  messageDocument,
  roleDocument,
  type Ids,
  createNewIds,
} from "./documents.ts";
export {
  InvalidLineError,
  readGroupFile,
  splitLines,
  type NumberedLine,
  createGroupChecker,
  type Survey,
} from "./read-group-file.ts";
export {
  encodeGroupFile,
  encodeLines,
  groupFile,
  readPages,
  groupOfServices,
  type ReactionPosition,
} from "./group-file.ts";
export { channelLine, groupLine, memberLine, messageLine, roleLine, userLine } from "./lines-of.ts";
export { newSalt } from "./new-salt.ts";
