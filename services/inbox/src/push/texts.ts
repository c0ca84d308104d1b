import { LIMITS, type Locale, type Message, type Services, textOf } from "@fanfare/contract";
import { chunks, type Config } from "@fanfare/kernel";
import type { Reason } from "./candidates.ts";

interface PushTexts {
  mentioned: (author: string) => string;
  keyword: (author: string) => string;
  reminder: (author: string) => string;
  /** Marks webhooks, because they can have any name, even that of a member. */
  webhook: (name: string) => string;
  /** Replaces the text of a message that has none. */
  attachment: string;
  sticker: (name: string) => string;
  gif: (name: string) => string;
  call: string;
  missedCall: string;
  everyone: string;
  role: string;
  newMessage: string;
}

/** Keeps the direction of a name from affecting the words around it. */
const isolated = (name: string): string => `\u2068${name}\u2069`;

const TEXTS: Record<Locale, PushTexts> = {
  en: {
    mentioned: (author) => `${author} mentioned you`,
    keyword: (author) => `${author} used one of your keywords`,
    reminder: (author) => `Reminder: ${author}`,
    webhook: (name) => `${name} (webhook)`,
    attachment: "Sent a file",
    sticker: (name) => `Sticker: ${name}`,
    gif: (name) => `GIF: ${name}`,
    call: "Call",
    missedCall: "Missed call",
    everyone: "@everyone",
    role: "@role",
    newMessage: "New message",
  },
  zh: {
    mentioned: (author) => `${author} 提到了你`,
    keyword: (author) => `${author} 提到了你的关键词`,
    reminder: (author) => `提醒：${author}`,
    webhook: (name) => `${name}（Webhook）`,
    attachment: "发送了文件",
    sticker: (name) => `贴纸：${name}`,
    gif: (name) => `动图：${name}`,
    call: "通话",
    missedCall: "未接来电",
    everyone: "@所有人",
    role: "@身份组",
    newMessage: "新消息",
  },
  de: {
    mentioned: (author) => `${author} hat dich erwähnt`,
    keyword: (author) => `${author} hat eines deiner Schlüsselwörter verwendet`,
    reminder: (author) => `Erinnerung: ${author}`,
    webhook: (name) => `${name} (Webhook)`,
    attachment: "Hat eine Datei gesendet",
    sticker: (name) => `Sticker: ${name}`,
    gif: (name) => `GIF: ${name}`,
    call: "Anruf",
    missedCall: "Verpasster Anruf",
    everyone: "@alle",
    role: "@Rolle",
    newMessage: "Neue Nachricht",
  },
  fr: {
    mentioned: (author) => `${author} vous a mentionné`,
    keyword: (author) => `${author} a utilisé l’un de vos mots-clés`,
    reminder: (author) => `Rappel : ${author}`,
    webhook: (name) => `${name} (webhook)`,
    attachment: "A envoyé un fichier",
    sticker: (name) => `Autocollant : ${name}`,
    gif: (name) => `GIF : ${name}`,
    call: "Appel",
    missedCall: "Appel manqué",
    everyone: "@tous",
    role: "@rôle",
    newMessage: "Nouveau message",
  },
  es: {
    mentioned: (author) => `${author} te mencionó`,
    keyword: (author) => `${author} usó una de tus palabras clave`,
    reminder: (author) => `Recordatorio: ${author}`,
    webhook: (name) => `${name} (webhook)`,
    attachment: "Envió un archivo",
    sticker: (name) => `Sticker: ${name}`,
    gif: (name) => `GIF: ${name}`,
    call: "Llamada",
    missedCall: "Llamada perdida",
    everyone: "@todos",
    role: "@rol",
    newMessage: "Nuevo mensaje",
  },
  ja: {
    mentioned: (author) => `${author}さんがあなたにメンションしました`,
    keyword: (author) => `${author}さんがあなたのキーワードを使いました`,
    reminder: (author) => `リマインダー：${author}`,
    webhook: (name) => `${name}（Webhook）`,
    attachment: "ファイルを送信しました",
    sticker: (name) => `スタンプ：${name}`,
    gif: (name) => `GIF：${name}`,
    call: "通話",
    missedCall: "不在着信",
    everyone: "@全員",
    role: "@ロール",
    newMessage: "新着メッセージ",
  },
  pt: {
    mentioned: (author) => `${author} mencionou você`,
    keyword: (author) => `${author} usou uma das suas palavras-chave`,
    reminder: (author) => `Lembrete: ${author}`,
    webhook: (name) => `${name} (webhook)`,
    attachment: "Enviou um arquivo",
    sticker: (name) => `Figurinha: ${name}`,
    gif: (name) => `GIF: ${name}`,
    call: "Chamada",
    missedCall: "Chamada perdida",
    everyone: "@todos",
    role: "@cargo",
    newMessage: "Nova mensagem",
  },
  ar: {
    mentioned: (author) => `أشار إليك ${isolated(author)}`,
    keyword: (author) => `استخدم ${isolated(author)} إحدى كلماتك المفتاحية`,
    reminder: (author) => `تذكير: ${isolated(author)}`,
    webhook: (name) => `${isolated(name)} (Webhook)`,
    attachment: "أرسل ملفًا",
    sticker: (name) => `ملصق: ${isolated(name)}`,
    gif: (name) => `صورة متحركة: ${isolated(name)}`,
    call: "مكالمة",
    missedCall: "مكالمة فائتة",
    everyone: "@الجميع",
    role: "@الدور",
    newMessage: "رسالة جديدة",
  },
};

/** The text of a title; null: the author's name. */
const TITLES: Record<Reason, "mentioned" | "keyword" | "reminder" | null> = {
  direct: null,
  mention: "mentioned",
  keyword: "keyword",
  role: "mentioned",
  everyone: "mentioned",
  any: null,
  reminder: "reminder",
};

const MAX_BODY_CHARS = 200;

interface PushText {
  title: string;
  body: string;
}

/** @param names by user id: the author and mentioned users */
export function pushText(
  locale: Locale,
  reason: Reason,
  message: Pick<Message, "as" | "authorId" | "cards" | "content" | "sticker" | "call">,
  names: ReadonlyMap<string, string>,
): PushText {
  const { as, authorId, sticker, call } = message;
  const texts = TEXTS[locale];
  const author = as === undefined ? (names.get(authorId) ?? "") : texts.webhook(as.name);
  const readable = textOf(message)
    .replaceAll(/<@&[0-9a-f]{24}>/g, texts.role)
    .replaceAll(/<@([0-9a-f]{24})>/g, (token, userId: string) => `@${names.get(userId) ?? token}`)
    .replaceAll(/(?<![\w@.])@(?:everyone|here)(?![\w@])/g, texts.everyone)
    .trim();
  const body = sticker === undefined ? readable : texts[sticker.kind](readable);
  const withoutText = call === undefined ? texts.attachment : call.missed ? texts.missedCall : texts.call;
  const title = TITLES[reason];
  return {
    title: title === null ? author : texts[title](author),
    body: cut(body === "" ? withoutText : body),
  };
}

/** What of it the services of apps can read. */
export function appText(locale: Locale, content: Config["appPush"]["content"], text: PushText): PushText {
  const { newMessage } = TEXTS[locale];
  if (content === "full") return text;
  return content === "sender" ? { title: text.title, body: newMessage } : { title: newMessage, body: "" };
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

/** The names of authors and mentioned users, by user id. In a group, the nicknames there. */
export async function namesIn(
  { user, group }: Services,
  groupId: string | null,
  messages: Iterable<Message>,
): Promise<Map<string, string>> {
  const userIds = new Set(
    [...messages].flatMap(({ authorId, mentions }) => [authorId, ...(mentions?.userIds ?? [])]),
  );
  const names = new Map<string, string>();
  for (const some of chunks([...userIds], LIMITS.usersPerLookup)) {
    const [{ users }, { nicknames }] = await Promise.all([
      user.listNames({ userIds: some }),
      groupId === null ? { nicknames: [] } : group.findNicknames({ groupId, userIds: some }),
    ]);
    for (const { userId, name } of users) names.set(userId, name);
    for (const { userId, nickname } of nicknames) if (nickname !== undefined) names.set(userId, nickname);
  }
  return names;
}
