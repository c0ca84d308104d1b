import { lazy, Suspense, useEffect, useRef } from "react";
import { useMe } from "../../data/me.ts";
import { visitPlace } from "../quick-switcher/recent-places.ts";
import { isApple, isCombo, needsNoField } from "./combo.ts";
import { openOverlay, useOverlay } from "./overlay-store.ts";
import { GROUP_KEYS, SHORTCUTS, type ShortcutName } from "./shortcuts.ts";
import { usePlace } from "./use-place.ts";
import { useShortcutActions } from "./use-shortcut-actions.ts";

const QuickSwitcher = lazy(async () => ({
  default: (await import("../quick-switcher/quick-switcher.tsx")).QuickSwitcher,
}));
const ShortcutSheet = lazy(async () => ({
  default: (await import("./shortcut-sheet.tsx")).ShortcutSheet,
}));

/** The keys that work everywhere, and what they open. */
export function GlobalShortcuts() {
  const overlay = useOverlay((state) => state.overlay);
  useKeys();
  useVisits();
  const close = () => openOverlay(null);
  return (
    <Suspense>
      {overlay === "switcher" && <QuickSwitcher onClose={close} />}
      {overlay === "shortcuts" && <ShortcutSheet onClose={close} />}
    </Suspense>
  );
}

function useKeys(): void {
  const actions = useShortcutActions();
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const apple = isApple();
    const hear = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || isInFront(event.target)) return;
      const { act, goToGroup } = latest.current;
      const isHit = (combo: string): boolean =>
        isCombo(combo, event, apple) && !(needsNoField(combo) && isField(event.target));
      for (const [name, { combos }] of Object.entries(SHORTCUTS)) {
        if (combos.some(isHit) && act(name as ShortcutName)) return event.preventDefault();
      }
      for (let number = 1; number <= GROUP_KEYS; number++) {
        if (isHit(`Alt+${number}`) && goToGroup(number - 1)) return event.preventDefault();
      }
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
}

/** What stands in front has the keys for itself. */
function isInFront(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("[role=dialog],[role=alertdialog],[role=menu]") !== null;
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox],[type=radio])"))
  );
}

function useVisits(): void {
  const { id } = useMe();
  const channelId = usePlace()?.channelId ?? null;
  useEffect(() => visitPlace(id, channelId), [id, channelId]);
}
