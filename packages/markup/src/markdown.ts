import { LIMITS } from "@fanfare/contract";

// Markdown out of texts of other programs, which must neither change the markup around them nor mention everyone.

const LINE_CHARS = 300;
const URL_CHARS = 2000;
const URLS = /https?:\/\/[^\s<>"`\\]+/g;
const LINKED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
const WORD_JOINER = "\u2060";
const EVERYONE = /@(?=(?:everyone|here)(?![\w@]))/g;

/** At most `max` characters. */
export function short(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Text without markup, except that addresses become links. */
export function plain(text: string): string {
  let shown = "";
  let from = 0;
  for (const { 0: url, index } of text.matchAll(URLS)) {
    shown += escaped(text.slice(from, index)) + url.replace(EVERYONE, "%40");
    from = index + url.length;
  }
  return shown + escaped(text.slice(from));
}

/** The same in one line. */
export function line(text: string, max: number = LINE_CHARS): string {
  return plain(short(flat(text), max));
}

export function bold(text: string): string {
  const shown = escaped(short(flat(text), LINE_CHARS));
  return shown === "" ? "" : `**${shown}**`;
}

/** A link, or only its text if the address can't be linked. */
export function link(text: string, url: string): string {
  const href = safeHref(url);
  const label = escaped(short(flat(text), LINE_CHARS));
  if (href === null) return label;
  return label === "" ? href : `[${label}](${href})`;
}

export function code(text: string, max: number = LINE_CHARS): string {
  const shown = withoutMentions(short(flat(text), max));
  if (shown === "") return "";
  const ticks = "`".repeat(longestRun(shown) + 1);
  const space = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return ticks + space + shown + space + ticks;
}

export function codeBlock(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${withoutMentions(text).replace(/^\n+/, "").trimEnd()}\n${fence}`;
}

export function quote(text: string): string {
  return text
    .split("\n")
    .map((one) => (one === "" ? ">" : `> ${one}`))
    .join("\n");
}

/** A name and a value, which is markdown. Empty without a value. */
export function field(name: string, value: string): string {
  return value === "" ? "" : [bold(name === "" ? "" : `${name}:`), value].filter(Boolean).join(" ");
}

/** The parts that aren't empty. */
export const lines = (...parts: readonly string[]): string => parts.filter(Boolean).join("\n");

/** The same with empty lines between them, which end lists and quotes. */
export const paragraphs = (...parts: readonly string[]): string => parts.filter(Boolean).join("\n\n");

/** @param max how many characters of the text are shown, without HTML comments */
export function excerpt(text: string, max = 500): string {
  const shown = short(text, 10 * max).replace(/<!--[\s\S]*?-->/g, "");
  return shown.trim() === "" ? "" : quote(plain(short(shown.trim(), max)));
}

/** About as Slack shows them. */
const NAMED_COLORS = new Map([
  ["good", 0x2eb886],
  ["warning", 0xe5b800],
  ["danger", 0xa30200],
]);
/** Where the range of a hue ends, in degrees. */
const HUES = [
  [20, "🔴"],
  [45, "🟠"],
  [70, "🟡"],
  [170, "🟢"],
  [260, "🔵"],
  [335, "🟣"],
  [360, "🔴"],
] as const;

/** A color such as `#36a64f` or `good`, as 0xRRGGBB; null if it isn't one. */
export function colorOf(color: string): number | null {
  const digits = /^#?([0-9a-f]{6})$/i.exec(color)?.[1];
  return digits === undefined ? (NAMED_COLORS.get(color) ?? null) : Number.parseInt(digits, 16);
}

/** A circle of about this color. Empty for gray, and for what isn't a color. */
export function colorMark(color: string): string {
  const value = colorOf(color);
  if (value === null) return "";
  const [r, g, b] = [value >> 16, (value >> 8) & 255, value & 255] as [number, number, number];
  const most = Math.max(r, g, b);
  const range = most - Math.min(r, g, b);
  if (range < 32) return "";
  const turn = most === r ? (g - b) / range + 6 : most === g ? (b - r) / range + 2 : (r - g) / range + 4;
  const hue = (turn * 60) % 360;
  return HUES.find(([end]) => hue < end)?.[1] ?? "";
}

/** The text with `@everyone` and `@here` as plain text. */
export const withoutEveryone = (text: string): string => text.replace(EVERYONE, `@${WORD_JOINER}`);

/** The text with all mentions as plain text, also in code, which may lose its end where a message is cut. */
export const withoutMentions = (text: string): string =>
  withoutEveryone(text).replace(/<(?=@&?[0-9a-f]{24}>)/g, `<${WORD_JOINER}`);

/** Longer fences stay open at the end of a cut text. */
const MAX_FENCE = 32;

/**
 * A text within the limit of messages, cut at the end of a line.
 * @param url where the whole text is
 */
export function fit(text: string, url = ""): string {
  const whole = text.toWellFormed().trim();
  if (whole.length <= LIMITS.messageMaxChars) return whole;
  const href = safeHref(url);
  const end = href === null ? "\n…" : `\n… [More](${href})`;
  const start = whole.slice(0, LIMITS.messageMaxChars - end.length - MAX_FENCE - 1);
  const lineEnd = start.lastIndexOf("\n");
  const kept =
    lineEnd > start.length / 2 ? start.slice(0, lineEnd) : start.replace(/[\uD800-\uDBFF]$|\\+$/, "");
  const fence = openFence(kept);
  return kept + (fence.length > 0 && fence.length <= MAX_FENCE ? `\n${fence}` : "") + end;
}

/** The fence of the code block that is open at the end. */
function openFence(text: string): string {
  let open = "";
  for (const one of text.split("\n")) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(one)?.[1];
    if (fence === undefined) continue;
    if (open === "") open = fence;
    else if (fence.startsWith(open) && one.trim() === fence) open = "";
  }
  return open;
}

const flat = (text: string): string => text.replace(/\s+/g, " ").trim();

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);

/** Underscores within words, as in snake_case, aren't markup. */
function escaped(text: string): string {
  return withoutEveryone(text)
    .replace(/[\\`*[\]<~]|\|(?=\|)|(?<=\|)\||(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&")
    .replace(/^([ \t]*)(#{1,6}(?=\s|$)|>|[-+](?=\s|-|$))/gm, "$1\\$2")
    .replace(/^([ \t]*\d{1,9})([.)])(?=\s|$)/gm, "$1\\$2");
}

/** An address that can't end the link that it is in, or null if it can't be linked. */
function safeHref(url: string): string | null {
  const parsed = url.length > URL_CHARS ? null : URL.parse(url);
  if (parsed === null || !LINKED.has(parsed.protocol)) return null;
  return parsed.href
    .replace(EVERYONE, "%40")
    .replace(
      /[()\\`*|<>"'~\s]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
    );
}

/** Discord's markdown has its own emoji and times: replaces them by their names, and by the time in UTC. */
export const withoutDiscordMarkup = (markdown: string): string =>
  markdown
    .replace(/<a?(:\w{2,32}:)\d{5,20}>/g, "$1")
    .replace(/<t:(\d{1,10})(?::[a-zA-Z])?>/g, (_, seconds: string) =>
      new Date(Number(seconds) * 1000).toUTCString(),
    );
