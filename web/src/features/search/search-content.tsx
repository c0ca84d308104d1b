import type { User } from "@fanfare/contract";
import { Search as SearchIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../data/me.ts";
import { isSearchable } from "../../data/search.ts";
import { useNow } from "../../shared/use-now.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useSettled } from "../admin/use-settled.ts";
import { SidePanel } from "../shell/side-panel.tsx";
import { parseQuery } from "./query.ts";
import { type Directory, resolveQuery } from "./resolve.ts";
import { SearchField } from "./search-field.tsx";
import { SearchFilters } from "./search-filters.tsx";
import { SearchResults } from "./search-results.tsx";
import { useSearchText } from "./search-store.ts";

interface SearchContentProps extends Pick<Directory, "scope" | "channels"> {
  people: readonly User[];
  onClose: () => void;
}

/** The field, its filters, and what was found. */
export function SearchContent({ scope, people, channels, onClose }: SearchContentProps) {
  const { t } = useTranslation("search");
  const { id: ownId } = useMe();
  const nowMs = useNow();
  const text = useSearchText((state) => state.text);
  const settled = useSettled(text);
  const directory: Directory = { ownId, people, channels, scope, nowMs };
  const { search, unknown } = resolveQuery(parseQuery(settled), directory);
  const isAsking = isSearchable(search);
  return (
    <SidePanel title={t("title")} onClose={onClose}>
      <div className="grid shrink-0 gap-2 border-b border-line p-3">
        <SearchField directory={directory} />
        <SearchFilters text={text} hasChannels={channels.length > 0} />
        {unknown.map(({ name, value, start }) => (
          <p key={start} role="status" className="text-sm text-danger-text">
            {t(`unknown.${name}`, { value })}
          </p>
        ))}
      </div>
      {isAsking ? (
        <SearchResults search={search} channels={channels} />
      ) : (
        <EmptyState
          icon={SearchIcon}
          title={settled.trim() === "" ? t("start") : t("tooShort")}
          text={settled.trim() === "" ? t("startText") : t("tooShortText")}
        />
      )}
    </SidePanel>
  );
}
