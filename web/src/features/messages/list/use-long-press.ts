import { type RefObject, useEffect, useRef } from "react";

const PRESS_MS = 450;
/** A finger that moves farther scrolls. */
const MAX_MOVE_PX = 10;

/**
 * Calls when a finger rests on something within the element. Lifting it then does nothing else: without this, the browser would click what
 * has appeared below the finger meanwhile, such as a button of the menu that `onPress` opens.
 */
export function useLongPress(
  element: RefObject<HTMLElement | null>,
  onPress: (target: EventTarget) => void,
): void {
  const latest = useRef(onPress);
  useEffect(() => {
    latest.current = onPress;
  });
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    let end = () => {};
    const onStart = (event: TouchEvent) => {
      end();
      const { target, touches } = event;
      const touch = touches[0];
      if (touch === undefined || touches.length > 1 || target === null) return;
      let isPressed = false;
      const timer = setTimeout(() => {
        isPressed = true;
        latest.current(target);
      }, PRESS_MS);
      const onMove = ({ touches: [now] }: TouchEvent) => {
        const moved =
          now === undefined ? 0 : Math.hypot(now.clientX - touch.clientX, now.clientY - touch.clientY);
        if (moved > MAX_MOVE_PX) clearTimeout(timer);
      };
      const onEnd = (lifted: TouchEvent) => {
        if (isPressed && lifted.cancelable) lifted.preventDefault();
        end();
      };
      // A touch belongs to what it began on, even if that is taken from the page meanwhile: listeners further up would miss its end.
      const listeners = { touchmove: onMove, touchend: onEnd, touchcancel: onEnd };
      for (const [name, listener] of Object.entries(listeners))
        target.addEventListener(name, listener as EventListener, { passive: name === "touchmove" });
      end = () => {
        clearTimeout(timer);
        for (const [name, listener] of Object.entries(listeners))
          target.removeEventListener(name, listener as EventListener);
        end = () => {};
      };
    };
    current.addEventListener("touchstart", onStart, { passive: true });
    return () => {
      end();
      current.removeEventListener("touchstart", onStart);
    };
  }, [element]);
}
