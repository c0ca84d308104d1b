import { type KeyboardEvent, useCallback, useId, useState } from "react";
import { editField } from "./edit-field.ts";
import { replacement, type Suggestion } from "./suggestion.ts";
import { findTrigger, type Trigger } from "./trigger.ts";
import type { Written } from "./use-written.ts";

const NONE: readonly Suggestion[] = [];

export interface Suggestions {
  listId: string;
  /** What is looked up; null where nothing is. */
  trigger: Trigger | null;
  found: readonly Suggestion[];
  activeIndex: number;
  isOpen: boolean;
  onFound: (kind: Trigger["kind"], found: readonly Suggestion[]) => void;
  setActive: (index: number) => void;
  pick: (suggestion: Suggestion) => void;
  /** Looks at where the caret is now. */
  look: () => void;
  close: () => void;
  /** Arrows, Enter, Tab and Esc, while something is proposed. Returns whether the key was for that. */
  onKey: (event: KeyboardEvent) => boolean;
}

/** What is proposed while somebody writes a name, a channel, an emoji or a command. */
export function useSuggestions({ field, nameFor }: Written): Suggestions {
  const listId = useId();
  const [trigger, setTrigger] = useState<Trigger | null>(null);
  /** What was found last. It stays while nothing is looked up: nobody would say it again when the same is looked up next. */
  const [last, setLast] = useState<{ kind: Trigger["kind"]; found: readonly Suggestion[] } | null>(null);
  const found = last !== null && last.kind === trigger?.kind ? last.found : NONE;
  const [activeIndex, setActive] = useState(0);
  /** Where somebody wanted no proposals: the sign that they began with. */
  const [dismissedAt, setDismissedAt] = useState<number | null>(null);
  const isOpen = trigger !== null && found.length > 0;

  const onFound = useCallback((kind: Trigger["kind"], next: readonly Suggestion[]) => {
    setLast({ kind, found: next });
    setActive(0);
  }, []);

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

  const pick = ({ insert }: Suggestion) => {
    const { current } = field;
    if (current === null || trigger === null) return;
    const text = "text" in insert ? insert.text : nameFor(insert.wire, insert.name);
    editField(current, replacement(current.value, current.selectionStart, trigger, text));
    close();
  };

  const onKey = (event: KeyboardEvent): boolean => {
    if (!isOpen || isDismissed || event.ctrlKey || event.metaKey || event.altKey) return false;
    const active = found[activeIndex];
    const { length } = found;
    if (event.key === "ArrowDown") setActive((activeIndex + 1) % length);
    else if (event.key === "ArrowUp") setActive((activeIndex + length - 1) % length);
    else if (event.key === "Escape") setDismissedAt(trigger.start);
    else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && active) pick(active);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };

  const isDismissed = trigger !== null && dismissedAt === trigger.start;
  return {
    listId,
    trigger: isDismissed ? null : trigger,
    found,
    activeIndex,
    isOpen: isOpen && !isDismissed,
    onFound,
    setActive,
    pick,
    look,
    close,
    onKey,
  };
}
