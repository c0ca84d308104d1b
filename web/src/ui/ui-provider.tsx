import { CSPProvider } from "@base-ui/react/csp-provider";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { directionOf } from "../i18n/language.ts";
import { afterFirst } from "../shared/later.tsx";
import { followFocus } from "./main.tsx";
import { endOldEntries } from "./use-back.ts";

const Tooltips = afterFirst(async () => (await import("./popups.ts")).Tooltips);
const Toasts = afterFirst(async () => (await import("./popups.ts")).Toasts);

/** Wraps the application: no <style> elements (content security policy), the direction of the language, tooltips, toasts, long presses, on-screen keyboards, the focus. */
export function UiProvider({ children }: { children: ReactNode }) {
  const { i18n } = useTranslation();
  useLongPress();
  useEffect(followVisibleArea, []);
  useEffect(followFocus, []);
  useEffect(endOldEntries, []);
  return (
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={directionOf(i18n.language)}>
        {children}
        <Tooltips />
        <Toasts />
      </DirectionProvider>
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
  let frame = 0;
  const open = () => {
    const at = { clientX, clientY };
    target.dispatchEvent(
      new MouseEvent("contextmenu", { bubbles: true, cancelable: true, composed: true, ...at }),
    );
  };
  // Moves are delivered just before a frame: on a busy page, some may still be waiting.
  const timer = setTimeout(() => (frame = requestAnimationFrame(open)), PRESS_MS);
  const cancel = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
  const end = () => {
    cancel();
    stop.abort();
  };
  const onMove = ({ touches: [now] }: TouchEvent) => {
    const moved = now === undefined ? 0 : Math.hypot(now.clientX - clientX, now.clientY - clientY);
    if (moved > MAX_MOVE_PX) cancel();
  };
  const onEnd = (event: TouchEvent) => {
    if (menu?.defaultPrevented === true && event.cancelable) event.preventDefault();
    end();
  };
  // Touch events go to the element where the touch started. If it is removed, listeners on ancestors miss the end.
  const listeners = { touchmove: onMove, touchend: onEnd, touchcancel: onEnd };
  for (const [name, listener] of Object.entries(listeners))
    target.addEventListener(name, listener as EventListener, { signal, passive: name === "touchmove" });
  // Some browsers also dispatch the event themselves. A menu that is being loaded dispatches it again.
  const onMenu = (event: Event) => {
    cancel();
    if (menu === undefined) menu = event;
    else if (menu.defaultPrevented && event.isTrusted) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  window.addEventListener("contextmenu", onMenu, { signal, capture: true });
  return end;
}

/**
 * Keeps the application above the on-screen keyboard. Most browsers resize the page (`interactive-widget` in index.html); Safari on iOS lays
 * the keyboard over it and scrolls the page up instead.
 * @returns a function that stops following
 */
function followVisibleArea(): () => void {
  const { visualViewport: viewport } = window;
  if (viewport === null) return () => {};
  const stop = new AbortController();
  const { style } = document.documentElement;
  const update = (): void => {
    const { scale, offsetTop, height } = viewport;
    // Zooming in shows a part of the page without covering anything.
    const [top, bottom] = scale > 1 ? [0, 0] : [offsetTop, innerHeight - offsetTop - height];
    style.setProperty("--visible-top", `${Math.max(0, Math.round(top))}px`);
    style.setProperty("--visible-bottom", `${Math.max(0, Math.round(bottom))}px`);
  };
  for (const name of ["resize", "scroll"]) viewport.addEventListener(name, update, { signal: stop.signal });
  return () => stop.abort();
}
