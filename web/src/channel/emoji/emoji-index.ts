import { whenLoaded } from "../../shared/when-loaded.ts";

export interface EmojiEntry {
  emoji: string;
  /** The emojibase group. */
  category: number;
  label: string;
  version: number;
  tags: string[];
  skins?: Record<"light" | "medium-light" | "medium" | "medium-dark" | "dark", string>;
  /** Shortcodes, always in English. */
  names: string[];
}

export interface EmojiIndex {
  emojis: readonly EmojiEntry[];
}

const loaders: Readonly<Record<string, () => Promise<{ default: EmojiIndex }>>> = {
  en: () => import("virtual:emoji/en"),
  zh: () => import("virtual:emoji/zh"),
  de: () => import("virtual:emoji/de"),
  es: () => import("virtual:emoji/es"),
  fr: () => import("virtual:emoji/fr"),
  ja: () => import("virtual:emoji/ja"),
  pt: () => import("virtual:emoji/pt"),
};

/** All emoji, loaded on first use; in English if they have no names in the language. */
export async function loadEmojiIndex(language: string): Promise<EmojiIndex> {
  return (await whenLoaded(loaders[language] ?? loaders["en"]!)).default;
}

export interface FoundEmoji {
  emoji: string;
  name: string;
  label: string;
}

/** The best matches: by shortcode first, then by label and tags. */
export function searchEmoji({ emojis }: EmojiIndex, query: string, max: number): FoundEmoji[] {
  const wanted = query.toLowerCase();
  const ranks: FoundEmoji[][] = [[], [], [], []];
  for (const { emoji, label, tags, names } of emojis) {
    const name = names.find((own) => own.startsWith(wanted)) ?? names[0];
    if (name === undefined) continue;
    const found = { emoji, name, label };
    if (name === wanted) ranks[0]!.push(found);
    else if (name.startsWith(wanted)) ranks[1]!.push(found);
    else if (label.toLowerCase().startsWith(wanted)) ranks[2]!.push(found);
    else if ([label, ...names, ...tags].some((text) => text.toLowerCase().includes(wanted))) {
      ranks[3]!.push(found);
    }
  }
  return ranks.flat().slice(0, max);
}

/** The emoji of a shortcode, if there is one. */
export function findEmoji({ emojis }: EmojiIndex, name: string): string | undefined {
  return emojis.find(({ names }) => names.includes(name))?.emoji;
}
