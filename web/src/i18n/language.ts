import { type Locale, LOCALES } from "@fanfare/contract/limits";

/** The languages with a file of their own, besides English and Chinese, whose texts are beside the code. */
export const LANGUAGE_FILES = import.meta.glob<Record<string, Record<string, string>>>("./languages/*.json", {
  import: "default",
});

export const LANGUAGES: readonly string[] = [
  "en",
  "zh",
  ...Object.keys(LANGUAGE_FILES).map((path) => path.slice("./languages/".length, -".json".length)),
].toSorted();

/** For `lang` and Intl. The kind of Chinese affects the shape of characters. */
export function tagOf(language: string): string {
  return language === "zh" ? "zh-CN" : language;
}

/** Not all browsers know the direction of a language. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set("ar ckb dv fa he ks ps sd syr ug ur yi".split(" "));

export function directionOf(language: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr";
}

/** The name of a language in that language: "Deutsch". */
export function languageName(language: string): string {
  // Browsers call it "中文", which doesn't say which characters it has.
  if (language === "zh") return "简体中文";
  const name = new Intl.DisplayNames(language, { type: "language" }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

/**
 * The user's locale for dates and numbers: the browser's variant of the displayed language, such as British English. With the
 * digits of the texts, which are 0 to 9 in all languages.
 */
export function localeOf(language: string, offered: readonly string[] = navigator.languages): string {
  const own = offered.find((tag) => tag.toLowerCase().startsWith(`${language}-`));
  return new Intl.Locale(own ?? tagOf(language), { numberingSystem: "latn" }).toString();
}

/** The language of mails and push notifications. */
export function mailLanguage(language: string): Locale {
  return LOCALES.find((locale) => locale === language) ?? "en";
}

/**
 * Chooses the displayed language.
 * @param preferred the user's choice; anything else than a language means the browser's default
 * @param offered the browser's languages, in order of preference
 */
export function chooseLanguage(preferred: unknown, offered: readonly string[]): string {
  const chosen = LANGUAGES.find((language) => language === preferred);
  if (chosen !== undefined) return chosen;
  for (const tag of offered) {
    const found = LANGUAGES.find((language) => tag.toLowerCase().split("-")[0] === language);
    if (found !== undefined) return found;
  }
  return "en";
}
