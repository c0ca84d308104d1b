import { startTransition, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { useHandler } from "../shared/hooks.ts";

/** Something that calls its listeners after each change. */
interface Source {
  subscribe(listener: () => void): () => void;
}

/** Like `useSyncExternalStore`, but all changes before a frame lead to one render, together with those of all other sources. */
export function useLive<T>(source: Source, read: () => T): T {
  return useSyncExternalStore(subscriptionOf(source), read);
}

/** After this time, the next change is no longer interrupted. */
const MAX_WAIT_MS = 1000;

/**
 * Like `useLive`, for what takes long to render: while the user types, keys can interrupt that.
 * @param source must stay the same
 * @param mayWait whether a new value is shown like this, instead of at once
 */
export function useInterruptible<T>(
  source: Source,
  read: () => T,
  mayWait: (shown: T, latest: T) => boolean,
): T {
  const [value, setValue] = useState(read);
  const state = useRef({ shown: value, latest: value, sinceMs: 0 });
  useLayoutEffect(() => {
    state.current.shown = value;
    state.current.sinceMs = performance.now();
  }, [value]);
  const update = useHandler(() => {
    const { shown, latest: before, sinceMs } = state.current;
    const latest = read();
    if (latest === before) return;
    state.current.latest = latest;
    const isWaiting = before !== shown;
    const now = performance.now();
    if (!isWaiting) state.current.sinceMs = now;
    const isOverdue = isWaiting && now - sinceMs > MAX_WAIT_MS;
    if (isTyping() && !isOverdue && mayWait(shown, latest)) return startTransition(() => setValue(latest));
    // First what waits: a virtual list notes its rows while it is rendered, also if that is interrupted.
    if (isWaiting) flushSync(() => setValue(before));
    // In this frame, as `useLive` does.
    flushSync(() => setValue(latest));
  });
  useLayoutEffect(() => {
    // It may have changed since it was rendered.
    beforeNextFrame(update);
    return subscriptionOf(source)(update);
  }, [source, update]);
  return value;
}

type Subscribe = Source["subscribe"];

const subscriptions = new WeakMap<Source, Subscribe>();

function subscriptionOf(source: Source): Subscribe {
  const existing = subscriptions.get(source) ?? oncePerFrame(source);
  subscriptions.set(source, existing);
  return existing;
}

/** Calls listeners at most once per frame. */
export function oncePerFrame(source: Source): Subscribe {
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  let end: (() => void) | null = null;
  return (listener) => {
    listeners.add(listener);
    end ??= source.subscribe(() => beforeNextFrame(notify));
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      end?.();
      end = null;
    };
  };
}

/** While the user types, changes are shown right after each input, or after this time without one. */
const TYPING_WAIT_MS = 200;
/** The user types until this long after the last key. */
const TYPING_GAP_MS = 500;

/** Whether the user is typing. */
export function isTyping(): boolean {
  return performance.now() - lastKeyMs < TYPING_GAP_MS;
}

const pending = new Set<() => void>();
let isWatched = false;
/** Whether the next frame shows an input. It is left to the input, so that typing stays quick while many messages arrive. */
let isInputFrame = false;
let lastKeyMs = -Infinity;
let wait: ReturnType<typeof setTimeout> | undefined;

function beforeNextFrame(work: () => void): void {
  if (!isWatched) watchPage();
  const isScheduled = pending.size > 0;
  pending.add(work);
  if (isScheduled) return;
  // A hidden page draws no frames, but its title and its notifications must be current.
  if (document.hidden) queueMicrotask(runPending);
  else if (isTyping()) wait = setTimeout(endWait, TYPING_WAIT_MS);
  else requestAnimationFrame(runInFrame);
}

function watchPage(): void {
  isWatched = true;
  document.addEventListener("visibilitychange", () => document.hidden && runPending());
  const onInput = ({ type }: Event): void => {
    isInputFrame = true;
    if (type === "keydown") lastKeyMs = performance.now();
    if (wait !== undefined) endWait();
  };
  for (const type of ["keydown", "pointerdown"])
    document.addEventListener(type, onInput, { capture: true, passive: true });
}

function endWait(): void {
  clearTimeout(wait);
  wait = undefined;
  requestAnimationFrame(runInFrame);
}

function runInFrame(): void {
  const isOver = !isInputFrame;
  isInputFrame = false;
  if (isOver) runPending();
  else requestAnimationFrame(runPending);
}

function runPending(): void {
  clearTimeout(wait);
  wait = undefined;
  const work = [...pending];
  pending.clear();
  for (const one of work) one();
}
