import { type KeyboardEvent, useCallback, useState } from "react";
import { useOptions } from "../ui/hooks.ts";
import { editField } from "./markdown-edit.ts";
import type { Editor } from "./use-editor.ts";

export interface Suggestion {
  readonly key: string;
  readonly label: string;
  readonly detail?: string;
  readonly picture:
    | { kind: "user"; id: string; avatarUrl: string | null }
    | { kind: "sign"; sign: string; color?: number }
    | { kind: "image"; url: string }
    | { kind: "channel" };
  readonly insert: { text: string } | { wire: string; name: string };
}

export const MAX_SUGGESTIONS = 8;

/** The best matches: names that start with the query, then names with a word that does, then names that contain it. */
export function rankByName<T>(
  items: readonly T[],
  query: string,
  namesOf: (item: T) => string[],
  max = MAX_SUGGESTIONS,
): T[] {
  const wanted = query.toLowerCase();
  const ranked = items.flatMap((item, order) => {
    const rank = Math.min(...namesOf(item).map((name) => rankOf(name.toLowerCase(), wanted)));
    return rank < NO_MATCH ? [{ item, rank, order }] : [];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.order - b.order);
  return ranked.slice(0, max).map(({ item }) => item);
}

const NO_MATCH = 4;

function rankOf(name: string, wanted: string): number {
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  const at = name.indexOf(wanted);
  if (at < 0) return NO_MATCH;
  return /[\s_-]/.test(name[at - 1]!) ? 2 : 3;
}

/** The text that replaces the trigger, followed by a space. */
export function replacement(
  text: string,
  caret: number,
  trigger: Trigger,
  insert: string,
): { from: number; to: number; insert: string; selectFrom: number; selectTo: number } {
  const spaced = text[caret] === " " ? insert : `${insert} `;
  const at = trigger.start + insert.length + 1;
  return { from: trigger.start, to: caret, insert: spaced, selectFrom: at, selectTo: at };
}

export interface Trigger {
  readonly kind: "mention" | "channel" | "emoji" | "command" | "template";
  /** The position of its first character. */
  readonly start: number;
  /** The text after the trigger character, up to the caret. */
  readonly query: string;
}

const KINDS = { "@": "mention", "#": "channel", ":": "emoji" } as const;
/** Names can contain spaces, so the query needs a limit. */
const MENTION_MAX_CHARS = 32;
const MENTION_MAX_SPACES = 2;
/** Shorter ones are emoticons such as :) or :D. */
const EMOJI_MIN_CHARS = 2;

/** The trigger at the caret, if any: `@ada`, `#gen`, `:smi`, or `/com` or `/template sta` at the beginning. */
export function findTrigger(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const command = /^\/([a-z0-9_-]*)$/.exec(before);
  if (command !== null) return { kind: "command", start: 0, query: command[1]! };
  const template = /^\/template +([^\n]*)$/.exec(before);
  if (template !== null) return { kind: "template", start: 0, query: template[1]! };
  const match = /(?:^|[^\w@#:/\\`])([@#:])([^@#:\n`]*)$/.exec(before);
  if (match === null) return null;
  const kind = KINDS[match[1] as keyof typeof KINDS];
  const query = match[2]!;
  if (!isQuery(kind, query)) return null;
  return { kind, start: before.length - query.length - 1, query };
}

function isQuery(kind: Trigger["kind"], query: string): boolean {
  if (kind === "emoji") return query.length >= EMOJI_MIN_CHARS && /^[\p{L}\p{N}_+-]+$/u.test(query);
  if (kind === "channel") return !/\s/.test(query);
  return (
    !query.startsWith(" ") &&
    query.length <= MENTION_MAX_CHARS &&
    query.split(" ").length - 1 <= MENTION_MAX_SPACES
  );
}

/** The shortcode that ends at the caret: `:tada:`. */
export function findShortcode(text: string, caret: number): { start: number; name: string } | null {
  const match = /(?:^|[^\w:])(:([a-z0-9_+-]+):)$/.exec(text.slice(0, caret));
  return match === null ? null : { start: caret - match[1]!.length, name: match[2]! };
}

const NONE: readonly Suggestion[] = [];

export interface Suggestions {
  trigger: Trigger | null;
  found: readonly Suggestion[];
  isOpen: boolean;
  options: ReturnType<typeof useOptions>;
  onFound: (kind: Trigger["kind"], found: readonly Suggestion[]) => void;
  look: () => void;
  close: () => void;
  /** Handles arrows, Enter, Tab and Esc while there are suggestions. Returns whether the key was handled. */
  onKey: (event: KeyboardEvent) => boolean;
}

export function useSuggestions({ field, labelFor }: Editor): Suggestions {
  const [detected, setTrigger] = useState<Trigger | null>(null);
  /** The last results. They are kept when the trigger closes, because an identical result isn't reported again. */
  const [last, setLast] = useState<{ kind: Trigger["kind"]; found: readonly Suggestion[] } | null>(null);
  /** The position of the trigger whose suggestions the user dismissed or has chosen from. */
  const [dismissedAt, setDismissedAt] = useState<number | null>(null);
  const trigger = detected?.start === dismissedAt ? null : detected;
  const found = last !== null && last.kind === trigger?.kind ? last.found : NONE;

  const onFound = useCallback(
    (kind: Trigger["kind"], next: readonly Suggestion[]) => setLast({ kind, found: next }),
    [],
  );

  const look = useCallback(() => {
    const { current } = field;
    if (current === null || current.selectionStart !== current.selectionEnd) return setTrigger(null);
    const next = findTrigger(current.value, current.selectionStart);
    if (next === null) setDismissedAt(null);
    setTrigger((now) =>
      now?.kind === next?.kind && now?.start === next?.start && now?.query === next?.query ? now : next,
    );
  }, [field]);

  const close = () => setTrigger(null);

  const pick = (index: number) => {
    const { current } = field;
    const picked = found[index];
    if (current === null || trigger === null || picked === undefined) return;
    const { insert } = picked;
    const text = "text" in insert ? insert.text : labelFor(insert.wire, insert.name);
    editField(current, replacement(current.value, current.selectionStart, trigger, text));
    // Names can contain spaces, so a longer one would be suggested next.
    setDismissedAt(trigger.start);
    close();
  };

  const options = useOptions({
    count: found.length,
    about: `${trigger?.kind} ${trigger?.start} ${trigger?.query}`,
    onPick: pick,
  });

  const onKey = (event: KeyboardEvent): boolean => {
    if (trigger === null || found.length === 0 || event.ctrlKey || event.metaKey || event.altKey)
      return false;
    if (event.key === "Escape") setDismissedAt(trigger.start);
    else if (event.key === "Tab" && !event.shiftKey) pick(options.active);
    else if (!options.onKey(event)) return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };

  return { trigger, found, isOpen: found.length > 0, options, onFound, look, close, onKey };
}
