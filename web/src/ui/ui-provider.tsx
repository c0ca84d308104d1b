import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import { type ReactNode, useEffect } from "react";
import { Toasts } from "./feedback.tsx";

/** What the primitives need around the application: no <style> elements (content policy), shared tooltips, toasts, long presses. */
export function UiProvider({ children }: { children: ReactNode }) {
  useLongPress();
  return (
    <CSPProvider disableStyleElements>
      <Tooltip.Provider delay={400} closeDelay={100}>
        <Toasts>{children}</Toasts>
      </Tooltip.Provider>
    </CSPProvider>
  );
}

const PRESS_MS = 450;
/** A finger that moves farther scrolls. */
const MAX_MOVE_PX = 10;

/**
 * Makes a long press a right click on the whole page: handle `contextmenu`, and touch needs nothing else. Lifting the finger afterwards
 * does nothing: without this, the browser would click what has appeared below the finger, such as an entry of the menu.
 */
function useLongPress(): void {
  useEffect(() => {
    let end = () => {};
    const onStart = ({ target, touches }: TouchEvent) => {
      end();
      const [touch] = touches;
      if (touch !== undefined && touches.length === 1 && target !== null) end = watchTouch(target, touch);
    };
    document.addEventListener("touchstart", onStart, { capture: true, passive: true });
    return () => {
      end();
      document.removeEventListener("touchstart", onStart, true);
    };
  }, []);
}

/** @returns what stops watching */
function watchTouch(target: EventTarget, { clientX, clientY }: Touch): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  let menu: Event | undefined;
  const timer = setTimeout(() => {
    const at = { clientX, clientY };
    target.dispatchEvent(
      new MouseEvent("contextmenu", { bubbles: true, cancelable: true, composed: true, ...at }),
    );
  }, PRESS_MS);
  const end = () => {
    clearTimeout(timer);
    stop.abort();
  };
  const onMove = ({ touches: [now] }: TouchEvent) => {
    const moved = now === undefined ? 0 : Math.hypot(now.clientX - clientX, now.clientY - clientY);
    if (moved > MAX_MOVE_PX) clearTimeout(timer);
  };
  const onEnd = (event: TouchEvent) => {
    if (menu?.defaultPrevented === true && event.cancelable) event.preventDefault();
    end();
  };
  // A touch belongs to the element it began on. If that is removed from the page, listeners further up miss the end of the touch.
  const listeners = { touchmove: onMove, touchend: onEnd, touchcancel: onEnd };
  for (const [name, listener] of Object.entries(listeners))
    target.addEventListener(name, listener as EventListener, { signal, passive: name === "touchmove" });
  // Some browsers send the event by themselves. One is enough.
  const onMenu = (event: Event) => {
    clearTimeout(timer);
    if (menu === undefined) menu = event;
    else if (menu.defaultPrevented) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  window.addEventListener("contextmenu", onMenu, { signal, capture: true });
  return end;
}
