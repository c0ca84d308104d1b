import { row, type Exceptions } from "../row.ts";

const NO_FILE = "f".repeat(24);
// Existing files are tested in services/file/test.
const nowhere: Exceptions = { why: "there is no such file", allowed: "FILE_NOT_FOUND" };

export const fileRows = {
  "file.startUpload": row(
    "file.startUpload",
    ({ channel }) => ({
      channelId: channel.id,
      name: "notes.txt",
      bytes: 10,
    }),
    { why: "muted members can't send files either", muted: "MUTED" },
  ),
  "file.startPicture": row("file.startPicture", () => ({ bytes: 10 })),
  "file.get": row("file.get", () => ({ fileId: NO_FILE }), nowhere),
  "file.getUrl": row("file.getUrl", () => ({ fileId: NO_FILE }), nowhere),
  "file.getUrls": row("file.getUrls", ({ channel }) => ({ channelId: channel.id, fileIds: [NO_FILE] })),
  "file.listMine": row("file.listMine", () => ({})),
  "file.delete": row("file.delete", () => ({ fileId: NO_FILE }), nowhere),
  "file.getUsage": row("file.getUsage", () => ({})),
  "file.getGroupUsage": row("file.getGroupUsage", ({ group }) => ({ groupId: group.id })),
  "file.setQuota": row("file.setQuota", ({ target }) => ({
    of: { type: "user", id: target.userId },
    maxBytes: 10,
  })),
  "user.setAvatar": row("user.setAvatar", () => ({ fileId: NO_FILE }), nowhere),
  "user.removeAvatar": row("user.removeAvatar", () => ({})),
  "group.setIcon": row("group.setIcon", ({ group }) => ({ groupId: group.id, fileId: NO_FILE }), nowhere),
  "group.removeIcon": row("group.removeIcon", ({ group }) => ({ groupId: group.id })),
};
