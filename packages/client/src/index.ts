export { FanfareClient, type ClientEvents, type FanfareClientOptions, type RenewTokens } from "./client.ts";
export type { ChannelSnapshot, ChannelView } from "./channel-view.ts";
export type { ConnectionState } from "./connection.ts";
export { FanfareError, type LocalErrorCode } from "./errors.ts";
export { MESSAGE_MAX_CHARS } from "./limits.ts";
export type { ExportGroupOptions } from "./group-lines.ts";
export type { PendingMessage } from "./outbox.ts";
export type { PresenceWatch, Status } from "./presence-watch.ts";
export type { UploadOptions, UploadProgress } from "./upload.ts";
