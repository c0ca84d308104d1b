export const LANGUAGES = ["en", "zh"] as const;

export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Record<Language, string> = { en: "English", zh: "简体中文" };

/** For `lang` and Intl: which kind of Chinese decides on the shape of characters. */
export const LANGUAGE_TAGS: Record<Language, string> = { en: "en", zh: "zh-CN" };

/**
 * The language to show.
 * @param preferred what the user chose; anything but a language means: as the browser does
 * @param offered the languages of the browser, the best first
 */
export function chooseLanguage(preferred: unknown, offered: readonly string[]): Language {
  const chosen = LANGUAGES.find((language) => language === preferred);
  if (chosen !== undefined) return chosen;
  for (const tag of offered) {
    const found = LANGUAGES.find((language) => tag.toLowerCase().split("-")[0] === language);
    if (found !== undefined) return found;
  }
  return "en";
}
