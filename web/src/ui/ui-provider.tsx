import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import { type ReactNode, useEffect } from "react";
import { Toasts } from "./feedback.tsx";

/** Wraps the application: no <style> elements (content security policy), shared tooltips, toasts, long presses. */
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
/** Moving farther is a scroll. */
const MAX_MOVE_PX = 10;

/**
 * Turns a long press into a `contextmenu` event on the whole page. Lifting the finger afterwards does nothing; otherwise the browser would
 * click the element that appeared below the finger, such as a menu item.
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

/** @returns a function that stops watching */
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
  // Touch events go to the element where the touch started. If it is removed, listeners on ancestors miss the end.
  const listeners = { touchmove: onMove, touchend: onEnd, touchcancel: onEnd };
  for (const [name, listener] of Object.entries(listeners))
    target.addEventListener(name, listener as EventListener, { signal, passive: name === "touchmove" });
  // Some browsers also dispatch the event themselves.
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
