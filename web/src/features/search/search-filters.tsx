import { Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { FILTERS, type Filter, type FilterName, parseQuery, withFilter, withoutFilter } from "./query.ts";
import { isTraitWord } from "./resolve.ts";
import { askSearch, setSearchText } from "./search-store.ts";

interface SearchFiltersProps {
  text: string;
  /** Whether there are channels to choose from. */
  hasChannels: boolean;
}

/** The filters that are set, to be taken away, and those that can be added. */
export function SearchFilters({ text, hasChannels }: SearchFiltersProps) {
  const { t } = useTranslation("search");
  const { filters } = parseQuery(text);
  const set = filters.filter(({ value }) => value !== "");
  const isOpen = (name: FilterName): boolean =>
    (hasChannels || name !== "in") && (name === "has" || filters.every((filter) => filter.name !== name));
  const change = (next: string) => {
    setSearchText(next);
    askSearch();
  };
  return (
    <ul aria-label={t("filters")} className="flex flex-wrap gap-1.5">
      {set.map((filter) => (
        <li key={`${filter.start} ${filter.name}`}>
          <button
            type="button"
            aria-label={t("remove", { filter: `${t(`filter.${filter.name}`)} ${filter.value}` })}
            className="inline-flex min-h-7 items-center gap-1 rounded-full bg-accent-soft px-2.5 text-xs font-medium text-accent-text touch:min-h-9"
            onClick={() => change(withoutFilter(text, filter))}
          >
            {t(`filter.${filter.name}`)} <Value filter={filter} />
            <X size={13} aria-hidden />
          </button>
        </li>
      ))}
      {FILTERS.filter(isOpen).map((name) => (
        <li key={name}>
          <button
            type="button"
            className="inline-flex min-h-7 items-center gap-1 rounded-full border border-line px-2.5 text-xs text-muted hover:bg-hover hover:text-text touch:min-h-9"
            onClick={() => change(withFilter(text, name, ""))}
          >
            <Plus size={12} aria-hidden />
            {t(`filter.${name}`)}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Value({ filter: { name, value } }: { filter: Filter }) {
  const { t } = useTranslation("search");
  const word = value.toLowerCase();
  const shown = name === "has" && isTraitWord(word) ? t(`trait.${word}`) : value;
  return <span className="max-w-40 truncate font-semibold">{shown}</span>;
}
