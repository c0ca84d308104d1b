import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { LANGUAGES } from "./language.ts";

interface Use {
  path: string;
  namespace: string;
  key: string;
  /** Whether `key` is only the beginning: `` t(`role.${name}`) `` uses all keys that start with `role.`. */
  isPrefix: boolean;
}

const PLURAL = /_(?:zero|one|two|few|many|other)$/;

const CALL = /(?<![\w.$])t\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;
/** It doesn't know the namespace of `useTranslation`. */
const GLOBAL_CALL = /\bi18next\.t\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;
const TRANS = /\bi18nKey=(")([^"]+)"/g;
/** `textKey: "…"` marks keys that are passed to `t` in a variable. */
const TABLE = /\btextKey\??\s*[:=]\s*\{?(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;

/** The keys used in a source file. Their namespace is the one of `useTranslation`, unless given as `ns:key`. */
function usesOf(path: string, code: string): Use[] {
  const namespaces = [...code.matchAll(/useTranslation\(\s*"([^"]+)"/g)].map(([, namespace]) => namespace!);
  if (new Set(namespaces).size > 1) throw new Error(`${path} uses several namespaces: write "other:key".`);
  const globalCalls = [...code.matchAll(GLOBAL_CALL)];
  const bare = globalCalls.find(([, , text]) => !text!.includes(":"));
  if (bare !== undefined)
    throw new Error(`${path}: i18next.t("${bare[2]}") needs a namespace: write "ns:key".`);
  const found = [...globalCalls, ...[CALL, TRANS, TABLE].flatMap((pattern) => [...code.matchAll(pattern)])];
  return found.map(([, quote, text]) => {
    const hole = quote === "`" ? text!.indexOf("${") : -1;
    const start = hole < 0 ? text! : text!.slice(0, hole);
    const colon = start.indexOf(":");
    const namespace = colon < 0 ? namespaces[0] : start.slice(0, colon);
    if (namespace === undefined) throw new Error(`${path}: t("${text}") is in no namespace.`);
    return { path, namespace, key: start.slice(colon + 1), isPrefix: hole >= 0 };
  });
}

const src = join(import.meta.dirname, "..");

function read(pattern: string): [path: string, text: string][] {
  return globSync(pattern, { cwd: src }).map((path) => [path, readFileSync(join(src, path), "utf8")]);
}

/** By namespace and language: the texts by key. */
const namespaces = new Map<string, Map<string, Map<string, string>>>();
function add(namespace: string, language: string, texts: Record<string, string>): void {
  const languages = namespaces.get(namespace) ?? new Map<string, Map<string, string>>();
  namespaces.set(namespace, languages.set(language, new Map(Object.entries(texts))));
}
for (const language of ["en", "zh"]) {
  for (const [path, text] of read(`**/texts/${language}.json`))
    add(basename(dirname(dirname(path))), language, JSON.parse(text) as Record<string, string>);
}
for (const [path, text] of read("i18n/languages/*.json")) {
  for (const [namespace, texts] of Object.entries(JSON.parse(text) as Record<string, Record<string, string>>))
    add(namespace, basename(path, ".json"), texts);
}

/** Of the English texts, plural forms merged. */
const keysOf = (namespace: string): string[] => [
  ...new Set([...(namespaces.get(namespace)?.get("en")?.keys() ?? [])].map((key) => key.replace(PLURAL, ""))),
];

/** `{{name}}` and `<1>`. "One message" needs no number. */
const holesOf = (text: string): string[] =>
  (text.match(/\{\{[^}]+\}\}|<\/?\w+\/?>/g) ?? []).filter((hole) => hole !== "{{count}}");

/** Words that are the same in English: names, keys, and those that the language shares with it. */
const SHARED = "bot bots ctrl del enter gif gifs js node shift spam spoiler token url webhook webhooks";
const SHARED_IN: Readonly<Record<string, string>> = {
  de: "admin administration admins branding code emoji export import in limits link links logo moderation name navigation normal offline online option optional passkeys person position status sticker system text thread threads version",
  es: "color emoji invisible no normal roles sticker stickers",
  fr: "action admin administration admins code description emoji export images invisible logo maintenance mention mentions message messages minutes navigation normal notifications option options page participation question section sessions suggestions type version vote votes",
  pt: "emoji link links normal offline online status",
};

const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/\{\{[^}]+\}\}/g, "")
    .toLowerCase()
    .match(/\p{L}+/gu) ?? [];

const uses: Use[] = read("**/*.{ts,tsx}")
  .filter(([path]) => !path.startsWith("i18n/") && !path.endsWith(".test.ts"))
  .flatMap(([path, code]) => usesOf(path, code));

describe("texts", () => {
  test.each(LANGUAGES)("in %s are complete, with the plural forms of the language", (language) => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [namespace, languages] of namespaces) {
      const english = [...languages.get("en")!.keys()];
      const expected = english.flatMap((key) => {
        if (!PLURAL.test(key)) return [key];
        return key.endsWith("_other") ? forms.map((form) => key.replace(PLURAL, `_${form}`)) : [];
      });
      expect([...(languages.get(language)?.keys() ?? [])].toSorted(), `the keys of ${namespace}`).toEqual(
        expected.toSorted(),
      );
    }
  });

  test.each(LANGUAGES)("in %s have the same values to fill in", (language) => {
    const faults: string[] = [];
    for (const [namespace, languages] of namespaces) {
      const english = languages.get("en")!;
      for (const [key, text] of languages.get(language) ?? []) {
        const original = english.get(key) ?? english.get(key.replace(PLURAL, "_other")) ?? "";
        const missing = holesOf(original).filter((hole) => !holesOf(text).includes(hole));
        const unknown = holesOf(text).filter((hole) => !holesOf(original).includes(hole));
        if (missing.length + unknown.length > 0) faults.push(`${namespace}:${key}: ${text}`);
      }
    }
    expect(faults).toEqual([]);
  });

  test.each(LANGUAGES.filter((language) => language !== "en"))("in %s are not English", (language) => {
    const shared = new Set(`${SHARED} ${SHARED_IN[language] ?? ""}`.split(" "));
    const faults: string[] = [];
    for (const [namespace, languages] of namespaces) {
      const english = languages.get("en")!;
      for (const [key, text] of languages.get(language) ?? []) {
        if (text !== (english.get(key) ?? english.get(key.replace(PLURAL, "_other")))) continue;
        if (wordsOf(text).some((word) => !shared.has(word))) faults.push(`${namespace}:${key}: ${text}`);
      }
    }
    expect(faults, "to be translated, or words for SHARED_IN").toEqual([]);
  });

  test("in fr have a narrow no-break space before : ; ? ! » and after «", () => {
    const faults: string[] = [];
    for (const [namespace, languages] of namespaces) {
      for (const [key, text] of languages.get("fr") ?? []) {
        const marks = text.replaceAll(/\u{202f}[:;?!»]|«\u{202f}/gu, "");
        if (/[;?!«»]|:(?:\s|$)/.test(marks)) faults.push(`${namespace}:${key}: ${text}`);
      }
    }
    expect(faults).toEqual([]);
  });

  const hasOneFor0 = (language: string) => new Intl.PluralRules(language).select(0) === "one";

  test.each(LANGUAGES.filter(hasOneFor0))("in %s show the number in the form for 0 and 1", (language) => {
    const faults: string[] = [];
    for (const [namespace, languages] of namespaces) {
      for (const [key, text] of languages.get(language) ?? []) {
        if (key.endsWith("_one") && /\b1\b/.test(text)) faults.push(`${namespace}:${key}: ${text}`);
      }
    }
    expect(faults, "to be written with {{count}}").toEqual([]);
  });

  test("have all keys that are used", () => {
    const missing = uses.filter(({ namespace, key, isPrefix }) => {
      const keys = keysOf(namespace);
      return !keys.some((held) => (isPrefix ? held.startsWith(key) : held === key));
    });
    expect(missing).toEqual([]);
  });

  test("have no unused keys", () => {
    const unused: string[] = [];
    for (const namespace of namespaces.keys()) {
      for (const key of keysOf(namespace)) {
        const isUsed = uses.some(
          (use) => use.namespace === namespace && (use.isPrefix ? key.startsWith(use.key) : use.key === key),
        );
        if (!isUsed) unused.push(`${namespace}:${key}`);
      }
    }
    expect(unused).toEqual([]);
  });
});

describe("usesOf", () => {
  const found = (code: string) =>
    usesOf("file.tsx", code).map(
      ({ namespace, key, isPrefix }) => `${namespace}:${key}${isPrefix ? "*" : ""}`,
    );

  test("finds literal keys, prefixes, other namespaces and tables", () => {
    const code = `const { t } = useTranslation("messages");
      t("send"); t(\`state.\${state}\`, { count }); t("ui:close"); <Trans t={t} i18nKey="hint" />;
      const rows = [{ textKey: "row" }]; expect("not"); format("neither");`;
    expect(found(code)).toEqual([
      "messages:send",
      "messages:state.*",
      "ui:close",
      "messages:hint",
      "messages:row",
    ]);
  });

  test("requires exactly one namespace per file", () => {
    expect(() => found(`useTranslation("a"); useTranslation("b");`)).toThrow("several namespaces");
    expect(() => found(`t("send")`)).toThrow("no namespace");
    expect(found(`i18next.t("shared:error.UNKNOWN")`)).toEqual(["shared:error.UNKNOWN"]);
  });
});
