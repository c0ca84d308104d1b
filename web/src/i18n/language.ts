export const LANGUAGES = ["en", "zh"] as const;

export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Record<Language, string> = { en: "English", zh: "简体中文" };

/** BCP 47 tags for `lang` and Intl. The kind of Chinese affects the shape of characters. */
export const LANGUAGE_TAGS: Record<Language, string> = { en: "en", zh: "zh-CN" };

/** The user's locale for dates and numbers: the browser's variant of the displayed language, such as British English. */
export function localeOf(language: string, offered: readonly string[] = navigator.languages): string {
  const own = offered.find((tag) => tag.toLowerCase().startsWith(`${language}-`));
  return own ?? LANGUAGE_TAGS[language as Language] ?? language;
}

/**
 * Chooses the displayed language.
 * @param preferred the user's choice; anything else than a language means the browser's default
 * @param offered the browser's languages, in order of preference
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
