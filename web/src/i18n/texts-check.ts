export interface Use {
  path: string;
  namespace: string;
  key: string;
  /** Whether `key` is only the beginning: `` t(`role.${name}`) `` uses all keys that start with `role.`. */
  isPrefix: boolean;
}

export const PLURAL = /_(?:zero|one|two|few|many|other)$/;

const CALL = /(?<![\w.$])t\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;
/** It doesn't know the namespace of `useTranslation`. */
const GLOBAL_CALL = /\bi18next\.t\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;
const TRANS = /\bi18nKey=(")([^"]+)"/g;
/** `textKey: "…"` marks keys that are passed to `t` in a variable. */
const TABLE = /\btextKey\??\s*[:=]\s*\{?(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;

/** The keys used in a source file. Their namespace is the one of `useTranslation`, unless given as `ns:key`. */
export function usesOf(path: string, code: string): Use[] {
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
