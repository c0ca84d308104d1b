import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { whenLoaded } from "../shared/when-loaded.ts";
import { directionOf, LANGUAGE_FILES, tagOf } from "./language.ts";

type Files = Record<string, Record<string, string>>;
type Part = "login" | "app" | "next" | "pages";

type Loaders = Record<Part, () => Promise<{ files: Files }>>;

/** Four chunks per language, so that the first page doesn't load the texts of others. */
const loaders: Record<"en" | "zh", Loaders> = {
  en: {
    login: () => import("./languages/en.ts"),
    app: () => import("./languages/en-app.ts"),
    next: () => import("./languages/en-next.ts"),
    pages: () => import("./languages/en-pages.ts"),
  },
  zh: {
    login: () => import("./languages/zh.ts"),
    app: () => import("./languages/zh-app.ts"),
    next: () => import("./languages/zh-next.ts"),
    pages: () => import("./languages/zh-pages.ts"),
  },
};

const started = Promise.withResolvers<void>();
const needed: Part[] = ["login"];
const loaded = new Set<string>();

/** Loads the texts of a language. Must resolve before the first render. */
export async function startI18n(language: string): Promise<void> {
  const texts = loadTexts(language, "login");
  // In parallel; a failure is reported by `loadMoreTexts`.
  if (needed.includes("app")) loadTexts(language, "app").catch(() => undefined);
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: await texts },
    // All languages have the same keys (texts.test.ts), so no fallback is needed.
    fallbackLng: false,
    defaultNS: "ui",
    // The points of a key are part of its name.
    keySeparator: false,
    // React escapes values.
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  });
  loaded.add(`${language} login`);
  showLanguage(language);
  started.resolve();
}

/** Also loads the texts of the application, or of what is rarely opened, now and for each language that is chosen later. */
export async function loadMoreTexts(part: Exclude<Part, "login">): Promise<void> {
  if (!needed.includes(part)) needed.push(part);
  await started.promise;
  await addTexts(i18next.language);
}

/** Loads the texts of what is shown after the first page of the application. Resolves at once on other pages. */
export async function loadNextTexts(): Promise<void> {
  if (loaded.has(`${i18next.language} app`) || needed.includes("next")) await loadMoreTexts("next");
}

let wanted: string | undefined;

export async function changeLanguage(language: string): Promise<void> {
  wanted = language;
  if (i18next.language === language) return;
  // The application may request its own texts in the meantime.
  while (missingIn(language).length > 0) await whenLoaded(() => addTexts(language));
  // Another one may have been chosen in the meantime.
  if (wanted !== language) return;
  await i18next.changeLanguage(language);
  showLanguage(language);
}

function showLanguage(language: string): void {
  document.documentElement.lang = tagOf(language);
  document.documentElement.dir = directionOf(language);
}

async function addTexts(language: string): Promise<void> {
  await Promise.all(
    missingIn(language).map(async (part) => {
      const texts = await loadTexts(language, part);
      for (const [namespace, ofNamespace] of Object.entries(texts)) {
        i18next.addResourceBundle(language, namespace, ofNamespace, false, false, { skipCopy: true });
      }
      loaded.add(`${language} ${part}`);
    }),
  );
}

function missingIn(language: string): Part[] {
  return needed.filter((part) => !loaded.has(`${language} ${part}`));
}

async function loadTexts(language: string, part: Part): Promise<Files> {
  const file = LANGUAGE_FILES[`./languages/${language}.json`];
  if (file !== undefined) return file();
  const { files } = await loaders[language as "en" | "zh"][part]();
  return Object.fromEntries(Object.entries(files).map(([path, texts]) => [namespaceOf(path), texts]));
}

/** `../../channel/messages/texts/en.json` becomes `messages`. */
function namespaceOf(path: string): string {
  return path.split("/").at(-3)!;
}
