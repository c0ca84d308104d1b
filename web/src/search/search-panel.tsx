import type { User } from "@fanfare/contract";
import { Search as SearchIcon, Plus, X } from "lucide-react";
import { useMemo } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { useChannels, useChannelState } from "../data/groups.ts";
import { useMe } from "../data/me.ts";
import { useMemberSearch } from "../data/members.ts";
import { isSearchable } from "../data/search.ts";
import { useUsers } from "../data/people.ts";
import { useNow, useSettled } from "../shared/hooks.ts";
import { openPanel } from "../state/panels.ts";
import { EmptyState } from "../ui/feedback.tsx";
import { SidePanel } from "../app/shell/side-panel.tsx";
import type { Place } from "../app/shortcuts/use-place.ts";
import { parseQuery, FILTERS, type Filter, type FilterName, withFilter, withoutFilter } from "./query.ts";
import { type Directory, resolveQuery, isTraitWord } from "./resolve.ts";
import { SearchField } from "./search-field.tsx";
import { SearchResults } from "./search-results.tsx";
import { useSearchText, askSearch, setSearchText } from "./search-store.ts";

const NONE: readonly string[] = [];
const close = () => openPanel(null);

/** In the whole group, or in the direct channel. */
export function SearchPanel({ place: { groupId, channelId } }: { place: Place }) {
  if (groupId !== null) return <GroupSearch groupId={groupId} />;
  return channelId === null ? null : <DirectSearch channelId={channelId} />;
}

function GroupSearch({ groupId }: { groupId: string }) {
  const { data: channels = [] } = useChannels(groupId);
  const { found, members } = useMemberSearch(groupId, useNameQuery());
  const ids = useMemo(() => members.data?.map(({ userId }) => userId) ?? NONE, [members.data]);
  const loaded = useUsers(ids);
  const people = [
    ...new Map(
      [...loaded, ...found.flatMap(({ user }) => user ?? [])].map((user) => [user.id, user]),
    ).values(),
  ];
  const texts = channels.filter(({ kind }) => kind === "text");
  return <SearchContent scope={{ groupId }} people={people} channels={texts} onClose={close} />;
}

function DirectSearch({ channelId }: { channelId: string }) {
  const { data: channel } = useChannelState(channelId);
  const people = useUsers(channel?.memberIds ?? NONE);
  return <SearchContent scope={{ channelId }} people={people} channels={[]} onClose={close} />;
}

/** The name being typed, for suggestions of people. */
function useNameQuery(): string {
  const text = useSearchText((state) => state.text);
  const names = parseQuery(text).filters.filter(({ name }) => name === "from" || name === "mentions");
  return names.at(-1)?.value.replace(/^@/, "") ?? "";
}

interface SearchContentProps extends Pick<Directory, "scope" | "channels"> {
  people: readonly User[];
  onClose: () => void;
}

/** The field, its filters, and what was found. */
function SearchContent({ scope, people, channels, onClose }: SearchContentProps) {
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

interface SearchFiltersProps {
  text: string;
  /** Whether there are channels to choose from. */
  hasChannels: boolean;
}

/** The filters that are set, to be taken away, and those that can be added. */
function SearchFilters({ text, hasChannels }: SearchFiltersProps) {
  const { t } = useTranslation("search");
  const { filters } = parseQuery(text);
  const set = filters.filter(({ value }) => value !== "");
  const isOpen = (name: FilterName): boolean =>
    (hasChannels || name !== "in") && (name === "has" || filters.every((filter) => filter.name !== name));
  const change = (next: string) => {
    // At once: what is typed right after the button was pressed belongs into the field.
    flushSync(() => setSearchText(next));
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
