import type { User } from "@fanfare/contract";
import { Hash, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Avatar } from "../ui/display.tsx";
import { cx } from "../ui/cx.ts";
import { FIELD_CLASS } from "../ui/form.tsx";
import { IconButton } from "../ui/button.tsx";
import { useOptions } from "../ui/hooks.ts";
import { dayBefore, formatDay } from "../shared/times.ts";
import {
  filterAt,
  parseQuery,
  withFilter,
  type Filter,
  channelFilterValue,
  type Directory,
  type NamedChannel,
  personFilterValue,
  TRAITS,
  type TraitWord,
} from "./query.ts";
import { onSearchFocus, SEARCH_FIELD_ID, setSearchText, useSearchText } from "./search-store.ts";

const MAX_SHOWN = 8;

const DAYS = [
  { id: "today", ago: 0 },
  { id: "yesterday", ago: 1 },
  { id: "week", ago: 7 },
  { id: "month", ago: 30 },
  { id: "year", ago: 365 },
] as const;

/** A completion of the current filter. */
type Suggestion = { key: string; /** The new value of the filter. */ word: string } & (
  | { kind: "person"; user: User }
  | { kind: "channel"; channel: NamedChannel }
  | { kind: "trait"; trait: TraitWord }
  | { kind: "day"; day: (typeof DAYS)[number]["id"] }
);

/** The search field, with suggestions for the filter at the caret. */
export function SearchField({ directory }: { directory: Directory }) {
  const { t } = useTranslation("search");
  const text = useSearchText((state) => state.text);
  const field = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState<number | null>(null);
  const filter = caret === null ? null : filterAt(parseQuery(text), caret);
  const found = suggest(filter, directory).filter(({ word }) => word !== filter?.value);
  const pick = (index: number) => {
    const picked = found[index];
    if (filter === null || picked === undefined) return;
    const next = withFilter(text, filter.name, picked.word, filter);
    setSearchText(next);
    setCaret(null);
    field.current?.focus();
  };
  const { active, fieldProps, listProps, optionProps, onKey } = useOptions({
    count: found.length,
    about: `${filter?.start} ${filter?.value}`,
    onPick: pick,
  });
  useEffect(() => {
    const focus = () => {
      const { current } = field;
      current?.focus();
      current?.setSelectionRange(current.value.length, current.value.length);
      setCaret(current?.value.length ?? null);
    };
    return onSearchFocus(focus);
  }, []);
  return (
    <div className="relative min-w-0 flex-1">
      <input
        {...fieldProps}
        ref={field}
        id={SEARCH_FIELD_ID}
        type="text"
        enterKeyHint="search"
        aria-label={t("field")}
        placeholder={t("field")}
        className={cx(FIELD_CLASS, "min-h-control pe-9")}
        value={text}
        onChange={({ target }) => {
          setSearchText(target.value);
          setCaret(target.selectionStart);
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        onBlur={() => setCaret(null)}
        onKeyDown={(event) => {
          if (onKey(event)) return;
          if (event.key !== "Escape" || found.length === 0) return;
          event.preventDefault();
          setCaret(null);
        }}
      />
      {text !== "" && (
        <span className="absolute inset-y-0 end-1 flex items-center">
          <IconButton
            icon={X}
            size="sm"
            label={t("clear")}
            onClick={() => {
              setSearchText("");
              field.current?.focus();
            }}
          />
        </span>
      )}
      <div
        {...listProps}
        aria-label={t("common:suggestions")}
        className={cx(
          "absolute inset-x-0 top-full z-10 mt-1 max-h-72 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-raised",
          found.length === 0 && "hidden",
        )}
      >
        {found.map((suggestion, index) => (
          <div
            key={suggestion.key}
            {...optionProps(index)}
            className={cx(
              "flex min-h-row cursor-default items-center gap-2.5 rounded-sm px-2 py-1 text-sm",
              index === active && "bg-selected",
            )}
          >
            <SuggestionLine suggestion={suggestion} />
          </div>
        ))}
      </div>
    </div>
  );
}

function SuggestionLine({ suggestion }: { suggestion: Suggestion }) {
  const { t } = useTranslation("search");
  switch (suggestion.kind) {
    case "person": {
      const { nickname, username, id, avatarUrl } = suggestion.user;
      return (
        <>
          <Avatar name={nickname} id={id} src={avatarUrl} size={24} />
          <span className="shrink-0 font-medium">{nickname}</span>
          <span className="truncate text-muted">{username}</span>
        </>
      );
    }
    case "channel":
      return (
        <>
          <Hash size={16} aria-hidden className="shrink-0 text-muted" />
          <span className="truncate">{suggestion.channel.name}</span>
          <span className="min-w-12 flex-1 truncate text-muted">{suggestion.channel.group}</span>
        </>
      );
    case "trait":
      return t(`trait.${suggestion.trait}`);
    case "day":
      return (
        <>
          <span className="flex-1">{t(`messages:day.${suggestion.day}`)}</span>
          <span className="text-muted tabular-nums">{suggestion.word}</span>
        </>
      );
  }
}

function suggest(filter: Filter | null, directory: Directory): Suggestion[] {
  if (filter === null) return [];
  const { people, nicknames, channels, nowMs } = directory;
  const wanted = filter.value.replace(/^[@#]/, "").toLowerCase();
  const fits = (...names: (string | null | undefined)[]): boolean =>
    names.some((name) => name?.toLowerCase().includes(wanted));
  switch (filter.name) {
    case "from":
    case "mentions":
      return people
        .filter(
          ({ id, nickname, username, deleted }) =>
            deleted !== true && fits(nicknames[id]?.nickname, nickname, username),
        )
        .slice(0, MAX_SHOWN)
        .map((user) => ({
          kind: "person",
          key: user.id,
          word: personFilterValue(user, directory),
          user: {
            ...user,
            nickname: nicknames[user.id]?.nickname ?? user.nickname,
            avatarUrl: nicknames[user.id]?.avatarUrl ?? user.avatarUrl,
          },
        }));
    case "in":
      return channels
        .filter(({ name, group = "" }) => fits(name, `${group}/${name}`))
        .slice(0, MAX_SHOWN)
        .map((channel) => ({
          kind: "channel",
          key: channel.id,
          word: channelFilterValue(channel, channels),
          channel,
        }));
    case "has":
      return (Object.keys(TRAITS) as TraitWord[])
        .filter((trait) => fits(trait))
        .map((trait) => ({ kind: "trait", key: trait, word: trait, trait }));
    case "before":
    case "after":
      return DAYS.map(({ id, ago }) => ({
        kind: "day" as const,
        key: id,
        word: formatDay(dayBefore(nowMs, ago)),
        day: id,
      })).filter(({ word }) => fits(word));
  }
}
