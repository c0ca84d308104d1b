import { type RefObject, useEffect, useRef } from "react";
import { flushSync } from "react-dom";

/** Moving farther is a swipe or a scroll. */
const SLOP_PX = 10;
/** How far a swipe must go to do something. */
const ENOUGH_PX = 64;
/** At the edges, the system and the browser have swipes of their own. */
const EDGE_PX = 24;
/** What moves or scrolls sideways by itself. */
const OWN_SWIPES = "input, textarea, video, audio, .overflow-x-auto, .overflow-auto";

/** In languages written from right to left, the start is on the right. */
export type Direction = "start" | "end" | "down";

function vectorOf(direction: Direction): readonly [x: number, y: number] {
  if (direction === "down") return [0, 1];
  return [(direction === "end") === (document.documentElement.dir === "rtl") ? -1 : 1, 0];
}

/** A swipe that has begun. */
export interface Swipe {
  /** Follows the finger. `px` is at least 0; from 1 on, `progress` is enough. */
  onMove: (px: number, progress: number) => void;
  /** The finger was lifted far enough away, or not, or something else took over. */
  onEnd: (isDone: boolean) => void;
}

interface Touch {
  id: number;
  x: number;
  y: number;
  target: Element;
  /** Null until the direction is known. */
  swipe: Swipe | null;
}

/**
 * Recognizes swipes of one finger in an element. Scrollers in it must leave the direction to the page, with the class `swipe-x` or `touch-none`
 * on them or around them.
 * @param begin called once the direction is known; null ignores the touch
 */
export function useSwipe(
  element: RefObject<HTMLElement | null>,
  direction: Direction,
  begin: (target: Element) => Swipe | null,
): void {
  const latest = useRef(begin);
  useEffect(() => {
    latest.current = begin;
  });
  useEffect(() => {
    const [toX, toY] = vectorOf(direction);
    const stop = new AbortController();
    let touch: Touch | null = null;
    const end = (isDone: boolean): void => {
      const swipe = touch?.swipe ?? null;
      touch = null;
      swipe?.onEnd(isDone);
    };
    const distances = ({ clientX, clientY }: PointerEvent, { x, y }: Touch) => {
      const [byX, byY] = [clientX - x, clientY - y];
      return { along: byX * toX + byY * toY, across: Math.abs(byX * toY) + Math.abs(byY * toX) };
    };

    const onDown = (event: PointerEvent): void => {
      const { target, pointerId: id, clientX: x, clientY: y } = event;
      // A second finger zooms.
      if (touch !== null) return end(false);
      if (event.pointerType !== "touch" || !event.isPrimary) return;
      if (!(target instanceof Element) || element.current?.contains(target) !== true) return;
      if (target.closest(OWN_SWIPES) !== null) return;
      if (toX !== 0 && (x < EDGE_PX || x > innerWidth - EDGE_PX)) return;
      touch = { id, x, y, target, swipe: null };
    };
    const onMove = (event: PointerEvent): void => {
      if (touch === null || event.pointerId !== touch.id) return;
      const { along, across } = distances(event, touch);
      if (touch.swipe === null) {
        if (Math.hypot(along, across) < SLOP_PX) return;
        touch.swipe = along > across * 2 ? latest.current(touch.target) : null;
        if (touch.swipe === null) return end(false);
      }
      touch.swipe.onMove(Math.max(0, along), along / ENOUGH_PX);
    };
    const onUp = (event: PointerEvent): void => {
      if (touch === null || event.pointerId !== touch.id) return;
      end(distances(event, touch).along >= ENOUGH_PX);
    };
    const listeners = { pointerdown: onDown, pointermove: onMove, pointerup: onUp };
    for (const [name, listener] of Object.entries(listeners))
      document.addEventListener(name, listener as EventListener, { signal: stop.signal });
    // The browser scrolls, or a long press has opened a menu.
    for (const name of ["pointercancel", "contextmenu"])
      document.addEventListener(name, () => end(false), { signal: stop.signal });
    return () => {
      end(false);
      stop.abort();
    };
  }, [element, direction]);
}

/** Whether things may move; otherwise they only fade. */
function hasMotion(): boolean {
  return document.documentElement.dataset["motion"] !== "reduced";
}

/** How far a swipe must go to open the drawer. */
const OPENING_PX = 24;

/** The drawer with the navigation. */
export const DRAWER_ID = "drawer";

/** A swipe that opens the drawer, which follows the finger. */
export function pullDrawer(setOpen: (isOpen: boolean) => void): Swipe {
  let isOpen = false;
  const drawer = () => document.getElementById(DRAWER_ID);
  let frame = 0;
  const follow = (px: number): void => {
    cancelAnimationFrame(frame);
    if (!isOpen) {
      // It takes the focus, and the on-screen keyboard goes.
      if (px < OPENING_PX || !hasMotion()) return;
      // Otherwise it would begin to open by itself.
      flushSync(() => setOpen(true));
      isOpen = true;
    }
    const element = drawer();
    if (element !== null) followFinger(element, "start").move(Math.max(0, element.offsetWidth - px));
    // Its code is being loaded.
    else frame = requestAnimationFrame(() => follow(px));
  };
  return {
    onMove: follow,
    onEnd(isDone) {
      cancelAnimationFrame(frame);
      const element = drawer();
      if (element !== null) followFinger(element, "start").release(!isDone);
      if (isDone !== isOpen) setOpen(isDone);
    },
  };
}

const RETURN = { duration: 180, easing: "cubic-bezier(0.2, 0.8, 0.2, 1)" };

/** Moves an element with the finger, and back where it was. */
export function followFinger(element: HTMLElement, direction: Direction) {
  const [toX, toY] = vectorOf(direction);
  return {
    move: (px: number): void => {
      if (!hasMotion()) return;
      element.style.transition = "none";
      element.style.translate = `${px * toX}px ${px * toY}px`;
    },
    /** @param isGone whether the element is about to leave, which has its own animation */
    release: (isGone = false): void => {
      const { translate } = element.style;
      element.style.translate = "";
      element.style.transition = "";
      if (!isGone && translate !== "") element.animate({ translate: [translate, "0px 0px"] }, RETURN);
    },
  };
}
