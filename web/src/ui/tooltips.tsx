import { Tooltip as Base } from "@base-ui/react/tooltip";
import { useEffect, useState } from "react";
import type { TooltipSide } from "./button.tsx";
import { useMedia } from "./hooks.ts";

interface Shown {
  /** The last element; null before the first one. */
  anchor: HTMLElement | null;
  text: string;
  side: TooltipSide;
  isOpen: boolean;
}

const OPEN_AFTER_MS = 400;
const CLOSE_AFTER_MS = 100;
/** Moving along a row of buttons, the next tooltip is there at once. */
const NEXT_WITHIN_MS = 400;
/** Its text, or that it is removed. */
const CHANGES = { subtree: true, childList: true, attributeFilter: ["data-tooltip"] };
const POPUP = "[role=dialog], [role=alertdialog], [role=menu]";

/** Shows the tooltips of all elements, so that each of them stays cheap; none on touch screens. Mounted once. */
export function Tooltips() {
  const [{ anchor, text, side, isOpen }, setShown] = useState<Shown>({
    anchor: null,
    text: "",
    side: "top",
    isOpen: false,
  });
  const isTouch = useMedia("(pointer: coarse)");
  useEffect(() => {
    if (isTouch) return undefined;
    return watchElements((next) =>
      setShown((shown) => (next === null ? { ...shown, isOpen: false } : { ...tipOf(next), isOpen: true })),
    );
  }, [isTouch]);
  return (
    <Base.Root open={isOpen}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} side={side} sideOffset={6} className="z-50">
          <Base.Popup className="pop pointer-events-none max-w-64 rounded-sm bg-tooltip px-2 py-1 text-xs font-medium text-on-tooltip">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function tipOf(anchor: HTMLElement): Omit<Shown, "isOpen"> {
  const { tooltip = "", tooltipSide } = anchor.dataset;
  return { anchor, text: tooltip, side: tooltipSide as TooltipSide };
}

function withTooltip(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("[data-tooltip]") : null;
}

/**
 * Calls `show` with the element whose tooltip is to be shown, and with null to hide it.
 * @returns a function that stops watching
 */
function watchElements(show: (anchor: HTMLElement | null) => void): () => void {
  const stop = new AbortController();
  let pointed: HTMLElement | null = null;
  let open: HTMLElement | null = null;
  let closedAtMs = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changes = new MutationObserver(() => {
    if (open?.isConnected === true) show(open);
    else set(null);
  });
  const set = (next: HTMLElement | null): void => {
    clearTimeout(timer);
    if (open === next) return;
    open = next;
    show(next);
    if (next === null) {
      closedAtMs = performance.now();
      changes.disconnect();
    } else changes.observe(document.body, CHANGES);
  };
  const point = (next: HTMLElement | null): void => {
    if (next === pointed) return;
    pointed = next;
    clearTimeout(timer);
    if (next === null) timer = setTimeout(set, CLOSE_AFTER_MS, null);
    else if (open !== null || performance.now() - closedAtMs < NEXT_WITHIN_MS) set(next);
    else timer = setTimeout(set, OPEN_AFTER_MS, next);
  };
  const on = <K extends keyof WindowEventMap>(name: K, listener: (event: WindowEventMap[K]) => void): void =>
    addEventListener(name, listener, { capture: true, signal: stop.signal });
  on("pointerover", ({ pointerType, target }) => {
    if (pointerType !== "touch") point(withTooltip(target));
  });
  on("pointerout", ({ relatedTarget }) => relatedTarget === null && point(null));
  // A press opens something else. The tooltip comes back when the element is pointed at again.
  on("pointerdown", () => set(null));
  on("click", () => set(null));
  on("focusin", ({ target }) => {
    const next = withTooltip(target);
    if (next !== null && next === target && next.matches(":focus-visible")) set(next);
  });
  // Not if the whole window loses it.
  on("focusout", ({ target }) => target === open && document.hasFocus() && set(null));
  const closeByKey = (event: KeyboardEvent): void => {
    if (open === null || event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    set(null);
  };
  // Before a popup that the element is in, and otherwise after the element with the focus.
  on("keydown", (event) => {
    const popup = open?.closest(POPUP) ?? open;
    if (event.target instanceof Node && popup?.contains(event.target)) closeByKey(event);
  });
  document.addEventListener("keydown", closeByKey, { signal: stop.signal });
  // An element that the pointer was on before this code was loaded.
  point(Array.from(document.querySelectorAll<HTMLElement>("[data-tooltip]:hover")).at(-1) ?? null);
  return () => {
    clearTimeout(timer);
    changes.disconnect();
    stop.abort();
  };
}
