import {
  type KeyboardEvent as ReactKeyboardEvent,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";

/** Phones: the same width as `--breakpoint-md` in theme.css. */
const PHONE = "(width < 48rem)";

export function useMedia(query: string): boolean {
  const list = useMemo(() => matchMedia(query), [query]);
  const subscribe = useCallback(
    (onChange: () => void) => {
      list.addEventListener("change", onChange);
      return () => list.removeEventListener("change", onChange);
    },
    [list],
  );
  return useSyncExternalStore(subscribe, () => list.matches);
}

export function useIsPhone(): boolean {
  return useMedia(PHONE);
}

export function isPhone(): boolean {
  return matchMedia(PHONE).matches;
}

/** Calls back when Esc is pressed and no dialog, menu or field has handled it. */
export function useEscape(onEscape: () => void): void {
  const latest = useRef(onEscape);
  useEffect(() => {
    latest.current = onEscape;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) latest.current();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

interface Options {
  count: number;
  /** Identifies the list of options. When it changes, the first option becomes active. */
  about: string;
  onPick: (index: number) => void;
}

/** A text field with suggestions (the combobox pattern): the focus stays in the field, the arrow keys select an option. */
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
  const onKey = (event: ReactKeyboardEvent): boolean => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (count === 0 || ctrlKey || metaKey || altKey) return false;
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
        // Keeps the focus in the field.
        onPointerDown: (event: { preventDefault: () => void }) => event.preventDefault(),
        onPointerMove: () => {
          if (index !== active) setActive(index);
        },
        onClick: () => onPick(index),
      }) as const,
  };
}

let appName = "Fanfare";
const MAX_COUNT = 99;

let pageTitle = "";
let titleCount = 0;

function showTitle(): void {
  const count = titleCount === 0 ? "" : `(${titleCount > MAX_COUNT ? `${MAX_COUNT}+` : titleCount}) `;
  document.title = count + (pageTitle === "" ? appName : `${pageTitle} – ${appName}`);
}

/** The name of the instance in the title of the tab. */
export function setAppName(name: string): void {
  appName = name;
  showTitle();
}

/** The page's name in the title of the tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    pageTitle = title;
    showTitle();
    return () => {
      pageTitle = "";
      showTitle();
    };
  }, [title]);
}

/** The unread count on the icon of the installed app. Other browsers don't have it. */
export function setAppBadge(count: number): void {
  if ("setAppBadge" in navigator) navigator.setAppBadge(count).catch(() => undefined);
}

/** The unread count before the page's name. */
export function setTitleCount(count: number): void {
  titleCount = count;
  showTitle();
}
