export {
  describeImported,
  groupFileText,
  IMPORTERS,
  type ImportOrigin,
  openExport,
  peopleOf,
  toExportError,
  IMPORTS_FOLDER,
  inputsOf,
} from "./convert.ts";
export { discordHistory } from "./discord.ts";
export { groupLines } from "./group-lines.ts";
export {
  emailsOf,
  type History,
  type Importer,
  type ImporterOptions,
  userId,
  type Users,
} from "./history.ts";
export { type GroupOrigin, type Imported, importGroup, removeInterrupted, survey } from "./import-group.ts";
export {
  describeMatches,
  type Destination,
  destinationOf,
  ExportSample,
  type ImportSource,
} from "./import-record.ts";
export { assertFreeSpace } from "./inputs.ts";
export { ImportRunningError } from "./import-lease.ts";
export {
  type FileToStore,
  findOwner,
  type ImportedAccounts,
  type ImportedFiles,
  ImportRefusedError,
  type StoredFile,
  type UserOptions,
} from "./import-steps.ts";
export { mattermostHistory } from "./mattermost.ts";
export { countDirects, type DirectMessage, DirectMessages } from "./sinks.ts";
export type { Sinks } from "./message-lines.ts";
export type { Progress } from "./message-log.ts";
export { countFiles, type FileSink, type KeptFile, MessageFiles } from "./sinks.ts";
export { matchLines, printable, Report } from "./report.ts";
export { rocketChatHistory } from "./rocketchat.ts";
export { slackHistory } from "./slack.ts";
export { tailchatHistory } from "./tailchat.ts";
