import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { type Language, LANGUAGE_TAGS } from "./language.ts";

type Files = Record<string, Record<string, unknown>>;

/** One chunk for each language, of which only the shown one is loaded. */
const loaders: Record<Language, () => Promise<{ files: Files }>> = {
  en: () => import("./languages/en.ts"),
  zh: () => import("./languages/zh.ts"),
};

/** Makes texts available; resolves when those of the language are there. Call it before anything is shown. */
export async function startI18n(language: Language): Promise<void> {
  const resources = await loadTexts(language);
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: resources },
    // Both languages have the same keys (texts.test.ts), so the other one is never needed.
    fallbackLng: false,
    defaultNS: "ui",
    // React escapes.
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  });
  document.documentElement.lang = LANGUAGE_TAGS[language];
}

/** Shows everything in another language. */
export async function changeLanguage(language: Language): Promise<void> {
  if (i18next.language === language) return;
  if (!i18next.hasResourceBundle(language, "ui")) {
    const resources = await loadTexts(language);
    for (const [namespace, texts] of Object.entries(resources)) {
      i18next.addResourceBundle(language, namespace, texts);
    }
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = LANGUAGE_TAGS[language];
}

async function loadTexts(language: Language): Promise<Record<string, Record<string, unknown>>> {
  const { files } = await loaders[language]();
  return Object.fromEntries(Object.entries(files).map(([path, texts]) => [namespaceOf(path), texts]));
}

/** `../../features/messages/texts/en.json` are the texts of `messages`. */
function namespaceOf(path: string): string {
  return path.split("/").at(-3)!;
}
