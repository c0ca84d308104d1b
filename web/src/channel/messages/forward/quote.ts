import type { Message } from "@fanfare/contract";
import { textOf } from "@fanfare/contract/cards";
import { textParts } from "../markdown/lex.ts";

interface QuoteNames {
  author: string;
  user: (userId: string) => string;
  role: (roleId: string) => string;
  channel: (channelId: string) => string;
}

/** Characters that would become formatting or a mention. */
const SPECIAL = /[\\`*_~|<>[\]@#]/g;

/** A message as a quote, for readers who can't see the message itself. Its mentions become names, so that no one is notified again. */
export function quoteOf(
  message: Pick<Message, "attachments" | "cards" | "content">,
  link: string,
  names: QuoteNames,
): string {
  const content = textOf(message);
  const text = textParts(content).map((part) => {
    if (typeof part === "string") return part;
    if (part.type === "everyone") return plain(part.text);
    return plain(part.type === "channel" ? `#${names.channel(part.id)}` : `@${names[part.type](part.id)}`);
  });
  const lines = [
    `[**${plain(names.author)}**](${link})`,
    ...(content === "" ? [] : text.join("").split("\n")),
    ...(message.attachments ?? []).map(({ name }) => `📎 ${plain(name)}`),
  ];
  return lines.map((line) => `> ${line}`.trimEnd()).join("\n");
}

function plain(text: string): string {
  return text.replace(SPECIAL, "\\$&");
}
