import type { Message } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { MarkdownPreview } from "../markdown/markdown.tsx";

/** A message in one line: its text, or what it has instead. */
export function MessagePreview({
  message: { content, sticker },
}: {
  message: Pick<Message, "content" | "sticker">;
}) {
  const { t } = useTranslation("messages");
  if (sticker !== undefined) return t(`sticker.${sticker.kind}`, { name: content });
  return content === "" ? t("reply.attachment") : <MarkdownPreview content={content} />;
}
