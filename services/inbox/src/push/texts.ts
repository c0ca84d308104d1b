import type { Locale, Message } from "@fanfare/contract";
import type { Reason } from "./candidates.ts";

interface PushTexts {
  title: Record<Reason, (author: string) => string>;
  /** Marks webhooks, because they can have any name, even that of a member. */
  webhook: (name: string) => string;
  /** Replaces the text of a message that has none. */
  attachment: string;
  everyone: string;
  role: string;
}

const TEXTS: Record<Locale, PushTexts> = {
  en: {
    title: {
      direct: (author) => author,
      mention: (author) => `${author} mentioned you`,
      role: (author) => `${author} mentioned you`,
      everyone: (author) => `${author} mentioned you`,
      any: (author) => author,
    },
    webhook: (name) => `${name} (webhook)`,
    attachment: "Sent a file",
    everyone: "@everyone",
    role: "@role",
  },
  zh: {
    title: {
      direct: (author) => author,
      mention: (author) => `${author} 提到了你`,
      role: (author) => `${author} 提到了你`,
      everyone: (author) => `${author} 提到了你`,
      any: (author) => author,
    },
    webhook: (name) => `${name}（Webhook）`,
    attachment: "发送了文件",
    everyone: "@所有人",
    role: "@身份组",
  },
};

const MAX_BODY_CHARS = 200;

export interface PushText {
  title: string;
  body: string;
}

/** @param names by user id: the author and mentioned users */
export function pushText(
  locale: Locale,
  reason: Reason,
  { as, authorId, content }: Pick<Message, "as" | "authorId" | "content">,
  names: ReadonlyMap<string, string>,
): PushText {
  const texts = TEXTS[locale];
  const author = as === undefined ? (names.get(authorId) ?? "") : texts.webhook(as.name);
  const readable = content
    .replaceAll(/<@&[0-9a-f]{24}>/g, texts.role)
    .replaceAll(/<@([0-9a-f]{24})>/g, (token, userId: string) => `@${names.get(userId) ?? token}`)
    .replaceAll(/(?<![\w@.])@(?:everyone|here)(?![\w@])/g, texts.everyone)
    .trim();
  return { title: texts.title[reason](author), body: cut(readable === "" ? texts.attachment : readable) };
}

/** Cuts by grapheme, so that no character is split. */
function cut(text: string): string {
  const characters = [...new Intl.Segmenter().segment(text.slice(0, 4 * MAX_BODY_CHARS))];
  if (characters.length <= MAX_BODY_CHARS) return characters.map(({ segment }) => segment).join("");
  return `${characters
    .slice(0, MAX_BODY_CHARS)
    .map(({ segment }) => segment)
    .join("")}…`;
}
