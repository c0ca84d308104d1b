import { wordsOf } from "../../../shared/word-lines.ts";

/** The hosts in a list of hosts or addresses, one per line; null for one that is neither. */
export function hostsOf(text: string): (string | null)[] {
  const hosts = wordsOf(text).map((line) => {
    const host = URL.parse(/^https?:\/\//i.test(line) ? line : `https://${line}`)?.hostname;
    return host?.includes(".") === true ? host : null;
  });
  return [...new Set(hosts)];
}
