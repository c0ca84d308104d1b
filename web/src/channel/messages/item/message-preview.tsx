import type { Message } from "@fanfare/contract";
import { textOf } from "@fanfare/contract/cards";
import { useTranslation } from "react-i18next";
import { callText } from "../../../calls/call-text.ts";
import { useMe } from "../../../data/me.ts";
import { MarkdownPreview } from "../markdown/markdown.tsx";

/** A message in one line: its text, or what it has instead. */
export function MessagePreview({
  message,
}: {
  message: Pick<Message, "authorId" | "call" | "cards" | "content" | "sticker">;
}) {
  const { t } = useTranslation("messages");
  const { call, sticker } = message;
  const me = useMe();
  if (call !== undefined) return callText(call, message.authorId === me.id);
  if (sticker !== undefined) return t(`sticker.${sticker.kind}`, { name: message.content });
  const text = textOf(message);
  return text === "" ? t("reply.attachment") : <MarkdownPreview content={text} />;
}
