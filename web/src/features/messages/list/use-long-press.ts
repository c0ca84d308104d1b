import { type RefObject, useEffect, useRef } from "react";

const PRESS_MS = 450;
/** A finger that moves farther scrolls. */
const MAX_MOVE_PX = 10;

/** Calls when a finger rests on something within the element. */
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
    let timer: ReturnType<typeof setTimeout> | undefined;
    let start = { x: 0, y: 0 };
    const cancel = () => clearTimeout(timer);
    const onStart = (event: TouchEvent) => {
      cancel();
      const touch = event.touches[0];
      if (touch === undefined || event.touches.length > 1 || event.target === null) return;
      const { target } = event;
      start = { x: touch.clientX, y: touch.clientY };
      timer = setTimeout(() => latest.current(target), PRESS_MS);
    };
    const onMove = ({ touches: [touch] }: TouchEvent) => {
      if (touch === undefined) return;
      if (Math.hypot(touch.clientX - start.x, touch.clientY - start.y) > MAX_MOVE_PX) cancel();
    };
    const listeners = { touchstart: onStart, touchmove: onMove, touchend: cancel, touchcancel: cancel };
    for (const [name, listener] of Object.entries(listeners)) {
      current.addEventListener(name, listener as EventListener, { passive: true });
    }
    return () => {
      cancel();
      for (const [name, listener] of Object.entries(listeners)) {
        current.removeEventListener(name, listener as EventListener);
      }
    };
  }, [element]);
}
