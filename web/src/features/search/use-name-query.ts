import { parseQuery } from "./query.ts";
import { useSearchText } from "./search-store.ts";

/** The name of somebody that is typed last: those are looked for. */
export function useNameQuery(): string {
  const text = useSearchText((state) => state.text);
  const names = parseQuery(text).filters.filter(({ name }) => name === "from" || name === "mentions");
  return names.at(-1)?.value.replace(/^@/, "") ?? "";
}
