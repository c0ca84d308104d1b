import { row } from "../row.ts";

export const moderationRows = {
  "group.getWordFilter": row("group.getWordFilter", ({ group }) => ({ groupId: group.id })),
  "group.setWordFilter": row("group.setWordFilter", ({ group }) => ({
    groupId: group.id,
    words: ["unwanted"],
  })),
  "group.setRetention": row("group.setRetention", ({ group }) => ({ groupId: group.id, days: 365 })),
};
