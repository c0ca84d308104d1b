import type { ReactNode } from "react";
import { cx } from "./cx.ts";

let lastFocused: Element | null = null;

/** @returns a function that stops following */
export function followFocus(): () => void {
  const onFocus = ({ target }: FocusEvent): void => {
    if (target instanceof Element) lastFocused = target;
  };
  document.addEventListener("focusin", onFocus);
  return () => document.removeEventListener("focusin", onFocus);
}

/** A page's main content, the target of "Skip to content". */
export function Main({ className, children }: { className: string; children: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} ref={takeLostFocus} className={cx("outline-none", className)}>
      {children}
    </main>
  );
}

/** If the page before had the focus, keys and screen readers continue in this one. Fields with `autoFocus` are focused before. */
function takeLostFocus(main: HTMLElement | null): void {
  const isLost = document.activeElement === document.body && lastFocused?.isConnected === false;
  if (isLost) main?.focus({ preventScroll: true });
}
