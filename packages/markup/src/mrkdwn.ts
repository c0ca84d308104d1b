import { LIMITS } from "@fanfare/contract";
import shortcodes from "emojibase-data/en/shortcodes/iamcal.json" with { type: "json" };
import { code, codeBlock, line, link, plain, short, withoutEveryone } from "./markdown.ts";

/** Markup can take as much space as the text. */
const MAX_CHARS = 2 * LIMITS.messageMaxChars;
const BLOCK = /\n?```(?:([\w+#.-]{1,20})\n)?([\s\S]*?)```\n?/g;
const CODE = /`([^`\n]+)`/g;
const SPECIAL = /<([^<>\n]{1,3000})>/g;
/** What stands in front of `|`, or alone, where `<` isn't just a sign. */
const TARGET = /^(?:[@#!]|https?:|mailto:)/;
const BOLD = /(?<![\w*\\])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])/g;
const STRIKE = /(?<![\w~\\])~([^\s~](?:[^~\n]*[^\s~])?)~(?![\w~])/g;
/** Characters that no text has: they stand around the number of a finished piece. */
const HELD = /\uFDD0(\d+)\uFDD1/g;

interface Options {
  /** Longer texts are cut. */
  maxChars?: number;
  /** The markdown of a reference such as `@U123` or `#C123`; undefined if it isn't known. */
  resolve?: (target: string, name: string) => string | undefined;
}

/**
 * Slack's markup as markdown. Other markdown stays as it is, because Mattermost's texts can't be told apart.
 * `<!channel>` and `<!here>` become mentions, for which the webhook needs the permission; `@everyone` doesn't.
 */
export function mrkdwn(source: string, { maxChars = MAX_CHARS, resolve }: Options = {}): string {
  const held: string[] = [];
  const hold = (piece: string): string => `\uFDD0${held.push(piece) - 1}\uFDD1`;
  const released = (text: string): string =>
    text.replace(HELD, (_, index: string) => released(held[Number(index)] ?? ""));
  const text = withoutEveryone(short(source, maxChars).replace(/[\uFDD0\uFDD1]/g, ""))
    .replace(BLOCK, (_, language: string | undefined, inner: string) =>
      hold(`\n${codeBlock(literal(inner), language)}\n`),
    )
    .replace(CODE, (_, inner: string) => hold(code(literal(inner), maxChars)))
    .replace(SPECIAL, (_, inner: string) => hold(special(inner, resolve)))
    .replace(BOLD, "**$1**")
    .replace(STRIKE, "~~$1~~");
  return released(unescaped(withEmoji(text), "\\<")).trim();
}

/** What stands between `<` and `>`: a link, a mention or a date. */
function special(inner: string, resolve: Options["resolve"]): string {
  const [target, label] = splitAtBar(inner);
  const name = unescaped(label ?? "", "<");
  const resolved = resolve?.(target, name);
  if (resolved !== undefined) return resolved;
  if (/^@&?[0-9a-f]{24}$/.test(target)) return `<${target}>`;
  if (target === "!here") return "@here";
  if (/^!(?:channel|everyone|group)$/.test(target)) return "@everyone";
  if (/^[@#]/.test(target)) return line(target[0] + (name || target.slice(1)).replace(/^[@#]/, ""));
  if (target.startsWith("!")) return line(name || target);
  const url = unescaped(target, "<");
  const linked = link(withEmoji(name), url);
  return linked === "" ? plain(`<${inner}>`) : linked;
}

/** The text of code, in which links are written as elsewhere. */
const literal = (text: string): string =>
  unescaped(
    text.replace(SPECIAL, (whole, inner: string) => {
      const [target, label = target] = splitAtBar(inner);
      return TARGET.test(target) ? label : whole;
    }),
    "<",
  );

/** Text without markup as Slack expects it, in which `&lt;` stands for `<`. */
export const plainText = (text: string): string => unescaped(text, "<");

/** @param less what `&lt;` becomes: outside code it must not start a mention */
function unescaped(text: string, less: "<" | "\\<"): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) =>
    name === "amp" ? "&" : name === "lt" ? less : ">",
  );
}

function splitAtBar(text: string): [string, string?] {
  const at = text.indexOf("|");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

const EMOJI_CODE = /(?<!\w):([a-z0-9_+'-]{1,60}):(?::skin-tone-[2-6]:)?/g;
/** The second of Slack's six skin tones; the first is none. */
const LIGHTEST_SKIN = 0x1f3fb;

/** The code points of each name that Slack and Mattermost use. */
const hexByName = new Map(
  Object.entries(shortcodes as Record<string, string | string[]>).flatMap(([hex, names]) =>
    [names].flat().map((name) => [name, hex] as const),
  ),
);

/** Replaces `:tada:` by the emoji. Other names stay: a group can have its own emoji. */
export const withEmoji = (text: string): string =>
  text.replace(EMOJI_CODE, (code, name: string) => untonedEmoji(name) ?? code);

/** The emoji with a name such as `wave` or `wave::skin-tone-3`; undefined if there is none. */
export function emojiByName(name: string): string | undefined {
  const [base = "", tone] = name.split("::skin-tone-");
  const emoji = untonedEmoji(base);
  if (emoji === undefined || !/^[2-6]$/.test(tone ?? "")) return emoji;
  const toned = emoji.replace("\uFE0F", "") + String.fromCodePoint(LIGHTEST_SKIN - 2 + Number(tone));
  return /^\p{RGI_Emoji}$/v.test(toned) ? toned : emoji;
}

function untonedEmoji(name: string): string | undefined {
  const hex = hexByName.get(name);
  if (hex === undefined) return undefined;
  const emoji = String.fromCodePoint(...hex.split("-").map((point) => Number.parseInt(point, 16)));
  return /^\p{RGI_Emoji}$/v.test(emoji) ? emoji : `${emoji}\uFE0F`;
}
