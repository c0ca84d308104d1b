import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";
import type { EmojiEntry, EmojiIndex } from "../src/channel/emoji/emoji-index.ts";

const PREFIX = "virtual:emoji/";
/** Many browsers can't display newer emoji. */
const MAX_VERSION = 15.1;
/** emojibase's group of emoji parts, such as skin tones. */
const COMPONENTS = 2;
const SKINS = ["light", "medium-light", "medium", "medium-dark", "dark"] as const;

/** The parts of emojibase's files that are used. */
interface Emojibase {
  emoji: string;
  hexcode: string;
  label: string;
  tags?: string[];
  version: number;
  group?: number;
  order?: number;
  skins?: { emoji: string; tone: number | number[] }[];
}

const RGI_EMOJI = /^\p{RGI_Emoji}$/v;
const require = createRequire(import.meta.url);
const data = dirname(require.resolve("emojibase-data/package.json"));
const read = (file: string): unknown => JSON.parse(readFileSync(join(data, file), "utf8"));

/** `virtual:emoji/en`: all emoji with the labels of a language, as a separate chunk. */
export function emojiData(): Plugin {
  return {
    name: "fanfare-emoji-data",
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return undefined;
      const index = readEmojiIndex(id.slice(PREFIX.length + 1));
      // Browsers parse JSON faster than object literals.
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(index))});`;
    },
  };
}

export function readEmojiIndex(language: string): EmojiIndex {
  const names = read("en/shortcodes/github.json") as Record<string, string | string[]>;
  const all = read(`${language}/data.json`) as Emojibase[];
  const chosen = all.filter(
    ({ group, version }) => group !== undefined && group !== COMPONENTS && version <= MAX_VERSION,
  );
  const inOrder = chosen.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  return { emojis: inOrder.map((emoji) => entryOf(emoji, [names[emoji.hexcode] ?? []].flat())) };
}

/** Without the variation selector that emojibase appends to emoji that don't need it: "👍" rather than "👍️". */
function minimal(emoji: string): string {
  return RGI_EMOJI.test(emoji) ? emoji : emoji.replaceAll("\u{FE0F}", "");
}

function entryOf(
  { emoji, label, tags = [], version, group = 0, skins }: Emojibase,
  names: string[],
): EmojiEntry {
  const tones = (skins ?? []).filter(({ tone }) => typeof tone === "number");
  const bySkin = tones.map((skin) => [SKINS[(skin.tone as number) - 1]!, minimal(skin.emoji)]);
  return {
    emoji: minimal(emoji),
    category: group,
    label: label.charAt(0).toUpperCase() + label.slice(1),
    version,
    tags,
    names,
    ...(bySkin.length === SKINS.length && {
      skins: Object.fromEntries(bySkin) as EmojiEntry["skins"] & object,
    }),
  };
}
