import type { User } from "@fanfare/contract";
import { Search as SearchIcon, Plus, X } from "lucide-react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { hasMessages, useChannels, useChannelsOfGroups, useChannelState, useGroups } from "../data/groups.ts";
import { useMe } from "../data/me.ts";
import { useMemberSearch, useNicknames } from "../data/members.ts";
import { isSearchable, useUserSearch } from "../data/search.ts";
import { useContacts, useUsers } from "../data/people.ts";
import { useNow, useSettled } from "../shared/hooks.ts";
import { EmptyState } from "../ui/feedback.tsx";
import { Segments } from "../ui/choices.tsx";
import { SidePanel } from "../app/shell/side-panel.tsx";
import type { Place } from "../app/shortcuts/use-place.ts";
import {
  parseQuery,
  FILTERS,
  type Filter,
  type FilterName,
  withFilter,
  withoutFilter,
  type Directory,
  resolveQuery,
  isTraitWord,
} from "./query.ts";
import { SavedSearches, SaveSearch } from "./saved-searches.tsx";
import { SearchField } from "./search-field.tsx";
import {
  closeSearch,
  useSearchText,
  focusSearch,
  setSearchText,
  chooseScope,
  useScope,
  scopesAt,
} from "./search-store.ts";
import { SearchResults } from "./search-results.tsx";

/** Channels of further groups aren't suggested. */
const MAX_GROUPS = 100;

/** Searches the current channel or group, or everywhere. The inbox and friends pages only search everywhere. */
export function SearchPanel({ place }: { place: Place | null }) {
  const { t } = useTranslation("search");
  const scope = useScope(place);
  const { groupId = null, channelId = null } = place ?? {};
  const scopes = scopesAt(place);
  const channelLabel = groupId === null ? t("scope.direct") : t("scope.channel");
  return (
    <SidePanel title={t("title")} isPlace onClose={closeSearch}>
      {scopes.length > 1 && (
        <div className="shrink-0 px-3 pt-3">
          <Segments
            label={t("scope.label")}
            value={scope}
            onChange={chooseScope}
            options={scopes.map((value) => ({
              value,
              label: value === "channel" ? channelLabel : t(`scope.${value}`),
            }))}
          />
        </div>
      )}
      {scope === "everywhere" ? (
        <EverywhereSearch />
      ) : groupId !== null ? (
        <GroupSearch key={groupId} groupId={groupId} channelId={scope === "channel" ? channelId : null} />
      ) : (
        channelId !== null && <DirectSearch key={channelId} channelId={channelId} />
      )}
    </SidePanel>
  );
}

/** Searches a group or one of its channels. */
function GroupSearch({ groupId, channelId }: { groupId: string; channelId: string | null }) {
  const { data: channels = [] } = useChannels(groupId);
  const name = namesIn(useSearchText(({ text }) => text)).at(-1);
  const { found, members } = useMemberSearch(groupId, name ?? "");
  const loaded = useUsers(members.data?.map(({ userId }) => userId) ?? []);
  const people = distinct([...loaded, ...found.flatMap(({ user }) => user ?? [])]);
  const nicknames = useNicknames(groupId);
  const texts = channels.filter(hasMessages);
  const scope = channelId === null ? { groupId } : { channelId };
  return (
    <SearchContent
      scope={scope}
      people={people}
      nicknames={nicknames}
      channels={texts}
      hasChannels={channelId === null}
    />
  );
}

function DirectSearch({ channelId }: { channelId: string }) {
  const { data: channel } = useChannelState(channelId);
  const people = useUsers(channel?.memberIds ?? []);
  return <SearchContent scope={{ channelId }} people={people} channels={[]} hasChannels={false} />;
}

/** Searches all groups and direct messages. Suggests channels with their group, friends, DM partners, and users found by name. */
function EverywhereSearch() {
  const { data: groups = [] } = useGroups();
  const [name = "", otherName = ""] = namesIn(useSettled(useSearchText(({ text }) => text)));
  const { data: found = [] } = useUserSearch(name);
  const { data: alsoFound = [] } = useUserSearch(otherName);
  const people = distinct([...useContacts(), ...found, ...alsoFound]);
  const isNamingChannel = useSearchText(({ text }) =>
    parseQuery(text).filters.some(({ name }) => name === "in"),
  );
  const named = groups.slice(0, MAX_GROUPS);
  const lists = useChannelsOfGroups(isNamingChannel ? named.map(({ id }) => id) : []);
  const channels = lists.flatMap((list, index) =>
    list.filter(hasMessages).map(({ id, name }) => ({ id, name, group: named[index]!.name })),
  );
  return (
    <SearchContent
      scope={{ everywhere: true }}
      people={people}
      channels={channels}
      hasChannels={groups.length > 0}
    />
  );
}

/** The names in filters, for suggestions of people. */
function namesIn(text: string): string[] {
  return parseQuery(text)
    .filters.filter(({ name }) => name === "from" || name === "mentions")
    .map(({ value }) => value.replace(/^@/, ""));
}

function distinct(users: readonly User[]): User[] {
  return [...new Map(users.map((user) => [user.id, user])).values()];
}

interface SearchContentProps
  extends Pick<Directory, "scope" | "people" | "channels">, Partial<Pick<Directory, "nicknames">> {
  /** Whether there are channels to choose from. */
  hasChannels: boolean;
}

function SearchContent({ scope, people, nicknames = {}, channels, hasChannels }: SearchContentProps) {
  const { t } = useTranslation("search");
  const { id: ownId } = useMe();
  const nowMs = useNow();
  const text = useSearchText((state) => state.text);
  const settled = useSettled(text);
  const directory: Directory = { ownId, people, nicknames, channels, scope, nowMs };
  const { search, unknown } = resolveQuery(parseQuery(settled), directory);
  const isEverywhere = "everywhere" in scope;
  const isAsking = isSearchable(search);
  const scopeName = isEverywhere ? "everywhere" : "groupId" in scope ? "group" : "channel";
  return (
    <>
      <div className="grid shrink-0 gap-2 border-b border-line p-3">
        <div className="flex items-center gap-1">
          <SearchField directory={directory} />
          {isAsking && <SaveSearch text={settled} scope={scopeName} />}
        </div>
        <SearchFilters text={text} hasChannels={hasChannels} />
        {unknown.map(({ fault, value, start }) => (
          <p key={start} role="status" className="text-sm text-danger-text">
            {t(`unknown.${fault}`, { value })}
          </p>
        ))}
      </div>
      {isAsking ? (
        <SearchResults search={search} isEverywhere={isEverywhere} />
      ) : (
        <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
          {settled.trim() === "" && <SavedSearches />}
          <EmptyState
            icon={SearchIcon}
            title={settled.trim() !== "" ? t("tooShort") : isEverywhere ? t("startEverywhere") : t("field")}
            text={settled.trim() === "" ? t("startText") : t("tooShortText")}
          />
        </div>
      )}
    </>
  );
}

interface SearchFiltersProps {
  text: string;
  /** Whether there are channels to choose from. */
  hasChannels: boolean;
}

/** The active filters, which can be removed, and those that can be added. */
function SearchFilters({ text, hasChannels }: SearchFiltersProps) {
  const { t } = useTranslation("search");
  const { filters } = parseQuery(text);
  const set = filters.filter(({ value }) => value !== "");
  const isOpen = (name: FilterName): boolean =>
    (hasChannels || name !== "in") && (name === "has" || filters.every((filter) => filter.name !== name));
  const change = (next: string) => {
    // Synchronous, so that the next keystroke goes into the field.
    flushSync(() => setSearchText(next));
    focusSearch();
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
