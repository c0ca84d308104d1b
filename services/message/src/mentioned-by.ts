import type { MessageDocument } from "./message.model.ts";

type Mentioned = Pick<MessageDocument, "mentionKeys" | "mentionedId" | "mentionedIn" | "mentionedSeq">;
type NoMentions = { [K in keyof Mentioned]: undefined };

const NOTHING: NoMentions = {
  mentionKeys: undefined,
  mentionedId: undefined,
  mentionedIn: undefined,
  mentionedSeq: undefined,
};

/** The fields by which a message is found by whom it mentions. */
export function mentionedBy(
  { _id, channelId, seq }: Pick<MessageDocument, "_id" | "channelId" | "seq">,
  keys: readonly string[],
): Mentioned | NoMentions {
  if (keys.length === 0) return NOTHING;
  return { mentionKeys: [...keys], mentionedId: _id, mentionedIn: channelId, mentionedSeq: seq };
}
