import { type KeyboardEvent, useEffect, useId, useState } from "react";

interface Options {
  /** How many there are. */
  count: number;
  /** While it stays the same, the same option stays active; else the first one is. */
  about: string;
  onPick: (index: number) => void;
}

/** For a field that proposes something (the combobox pattern): the focus stays in the field, the arrow keys go through the options. */
export function useOptions({ count, about, onPick }: Options) {
  const listId = useId();
  const [chosen, choose] = useState({ about, index: 0 });
  const active = chosen.about === about ? Math.min(chosen.index, count - 1) : 0;
  const setActive = (index: number) => choose({ about, index });
  const idOf = (index: number): string => `${listId}-${index}`;
  const activeId = count > 0 ? idOf(active) : undefined;

  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);

  /** Handles the arrow keys, and Enter without Shift. Returns whether it handled the event. */
  const onKey = (event: KeyboardEvent): boolean => {
    const { key, nativeEvent, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (count === 0 || nativeEvent.isComposing || ctrlKey || metaKey || altKey) return false;
    if (key === "ArrowDown") setActive((active + 1) % count);
    else if (key === "ArrowUp") setActive((active + count - 1) % count);
    else if (key === "Enter" && !shiftKey) onPick(active);
    else return false;
    event.preventDefault();
    return true;
  };

  return {
    active,
    onKey,
    /** For the field. */
    fieldProps: {
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": count > 0,
      "aria-controls": listId,
      "aria-activedescendant": activeId,
      autoComplete: "off",
      spellCheck: false,
    } as const,
    listProps: { id: listId, role: "listbox" } as const,
    optionProps: (index: number) =>
      ({
        id: idOf(index),
        role: "option",
        "aria-selected": index === active,
        // The field keeps the focus.
        onPointerDown: (event: { preventDefault: () => void }) => event.preventDefault(),
        onPointerMove: () => {
          if (index !== active) setActive(index);
        },
        onClick: () => onPick(index),
      }) as const,
  };
}
