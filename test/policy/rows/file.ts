import { row, outcomes, loggedIn, inChannel, groupOwner, adminsOnly } from "../row.ts";

const NO_FILE = "f".repeat(24);
/** Nobody has one: files.test.ts looks at those that there are. */
const nowhere = outcomes(
  "UNAUTHENTICATED",
  "FILE_NOT_FOUND",
  "FILE_NOT_FOUND",
  "FILE_NOT_FOUND",
  "FILE_NOT_FOUND",
);

export const fileRows = {
  "file.startUpload": row("file.startUpload", { ...inChannel, muted: "MUTED" }, ({ channel }) => ({
    channelId: channel.id,
    name: "notes.txt",
    bytes: 10,
  })),
  "file.startPicture": row("file.startPicture", loggedIn, () => ({ bytes: 10 })),
  "file.get": row("file.get", nowhere, () => ({ fileId: NO_FILE })),
  "file.getUrl": row("file.getUrl", nowhere, () => ({ fileId: NO_FILE })),
  "file.getUrls": row("file.getUrls", inChannel, ({ channel }) => ({
    channelId: channel.id,
    fileIds: [NO_FILE],
  })),
  "file.listMine": row("file.listMine", loggedIn, () => ({})),
  "file.delete": row("file.delete", nowhere, () => ({ fileId: NO_FILE })),
  "file.getUsage": row("file.getUsage", loggedIn, () => ({})),
  "file.getGroupUsage": row("file.getGroupUsage", groupOwner, ({ group }) => ({ groupId: group.id })),
  "file.setQuota": row("file.setQuota", adminsOnly, ({ target }) => ({
    of: { type: "user", id: target.userId },
    maxBytes: 10,
  })),
};
