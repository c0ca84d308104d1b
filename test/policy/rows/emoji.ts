import { row } from "../row.ts";

const NOT_THERE = "f".repeat(24);

// Existing emoji are tested in test/integration/emoji.test.ts.
export const emojiRows = {
  "emoji.list": row("emoji.list", ({ group }) => ({ groupId: group.id })),
  "emoji.add": row("emoji.add", ({ group }) => ({ groupId: group.id, fileId: NOT_THERE, name: "parrot" }), {
    why: "there is no such file",
    allowed: "FILE_NOT_FOUND",
  }),
  "emoji.rename": row(
    "emoji.rename",
    ({ group }) => ({ groupId: group.id, emojiId: NOT_THERE, name: "parrot" }),
    { why: "there is no such emoji", allowed: "EMOJI_NOT_FOUND" },
  ),
  "emoji.delete": row("emoji.delete", ({ group }) => ({ groupId: group.id, emojiId: NOT_THERE }), {
    why: "there is no such emoji",
    allowed: "EMOJI_NOT_FOUND",
  }),
};
