import { useEffect } from "react";
import { isApple, isCombo, SHORTCUTS } from "./shortcuts.ts";

/** In place of the shortcuts while they load: repeats the last one afterwards. */
export function EarlyShortcuts() {
  useEffect(() => {
    let last: KeyboardEvent | undefined;
    const apple = isApple();
    const isHit = (event: KeyboardEvent): boolean =>
      Object.values(SHORTCUTS).some(({ combos }) => combos.some((combo) => isCombo(combo, event, apple)));
    const onKeyDown = (event: KeyboardEvent) => {
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
      if (event.defaultPrevented || event.repeat || !hasModifier || !isHit(event)) return;
      event.preventDefault();
      last = event;
    };
    addEventListener("keydown", onKeyDown);
    return () => {
      removeEventListener("keydown", onKeyDown);
      if (last === undefined) return;
      const { target } = last;
      const again = new KeyboardEvent("keydown", last);
      // Once what was loaded listens.
      setTimeout(() => (target instanceof Node && target.isConnected ? target : window).dispatchEvent(again));
    };
  }, []);
  return null;
}
