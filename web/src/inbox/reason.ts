import type { Message } from "@fanfare/contract";

/** Why a message is in the inbox of a user: a reply also counts as a mention of the one who is answered. */
export function reasonOf(
  { content, replyTo, mentions }: Pick<Message, "content" | "replyTo" | "mentions">,
  ownId: string,
): "mention" | "reply" | "role" | "everyone" {
  if (content.includes(`<@${ownId}>`)) return "mention";
  if (mentions?.userIds.includes(ownId)) return replyTo === null ? "mention" : "reply";
  return mentions?.everyone === true ? "everyone" : "role";
}
