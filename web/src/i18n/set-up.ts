import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { type Language, LANGUAGE_TAGS } from "./language.ts";

type Files = Record<string, Record<string, unknown>>;
type Part = "login" | "app";

/** Two chunks per language, so that the login page doesn't load the application's texts. */
const loaders: Record<Language, Record<Part, () => Promise<{ files: Files }>>> = {
  en: { login: () => import("./languages/en.ts"), app: () => import("./languages/en-app.ts") },
  zh: { login: () => import("./languages/zh.ts"), app: () => import("./languages/zh-app.ts") },
};

const started = Promise.withResolvers<void>();
const needed: Part[] = ["login"];
const loaded = new Set<string>();

/** Loads the texts of a language. Must resolve before the first render. */
export async function startI18n(language: Language): Promise<void> {
  const texts = loadTexts(language, "login");
  // In parallel; a failure is reported by `loadAppTexts`.
  if (needed.includes("app")) loaders[language].app().catch(() => undefined);
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: await texts },
    // Both languages have the same keys (texts.test.ts), so no fallback is needed.
    fallbackLng: false,
    defaultNS: "ui",
    // React escapes values.
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  });
  loaded.add(`${language} login`);
  document.documentElement.lang = LANGUAGE_TAGS[language];
  started.resolve();
}

/** Also loads the application's texts, now and for each language that is chosen later. */
export async function loadAppTexts(): Promise<void> {
  if (!needed.includes("app")) needed.push("app");
  await started.promise;
  await addTexts(i18next.language as Language);
}

export async function changeLanguage(language: Language): Promise<void> {
  if (i18next.language === language) return;
  // The application may request its own texts in the meantime.
  while (missingIn(language).length > 0) await addTexts(language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = LANGUAGE_TAGS[language];
}

async function addTexts(language: Language): Promise<void> {
  await Promise.all(
    missingIn(language).map(async (part) => {
      const texts = await loadTexts(language, part);
      for (const [namespace, ofNamespace] of Object.entries(texts)) {
        i18next.addResourceBundle(language, namespace, ofNamespace);
      }
      loaded.add(`${language} ${part}`);
    }),
  );
}

function missingIn(language: Language): Part[] {
  return needed.filter((part) => !loaded.has(`${language} ${part}`));
}

async function loadTexts(language: Language, part: Part): Promise<Files> {
  const { files } = await loaders[language][part]();
  return Object.fromEntries(Object.entries(files).map(([path, texts]) => [namespaceOf(path), texts]));
}

/** `../../channel/messages/texts/en.json` becomes `messages`. */
function namespaceOf(path: string): string {
  return path.split("/").at(-3)!;
}
