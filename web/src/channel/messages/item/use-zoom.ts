import { type MouseEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";

/** A finger or mouse that moves less than this has clicked. */
const SLOP_PX = 10;
const DOUBLE_FACTOR = 2.5;
/** How far a swipe must go. */
const SWIPE_PX = 64;
/** One notch of a wheel zooms by about a fifth. */
const WHEEL_FACTOR = 1.002;

interface ZoomOptions {
  /** The window, and the picture in its center. */
  stage: RefObject<HTMLElement | null>;
  picture: RefObject<HTMLElement | null>;
  /** A swipe of one finger over a picture that isn't zoomed: where the next content comes from. */
  onSwipe: (from: "left" | "right" | "top") => void;
  /** A click beside the picture. */
  onOutside: () => void;
}

interface Gesture {
  pointers: Map<number, Point>;
  /** Of the first pointer. */
  start: Point;
  isOutside: boolean;
  hasMoved: boolean;
  hadTwo: boolean;
}

const CENTER: Point = { x: 0, y: 0 };

/** Zooms with the wheel, two fingers, a double click or tap; moves with one finger or the mouse. */
export function useZoom({ stage, picture, onSwipe, onOutside }: ZoomOptions) {
  const [zoom, setZoom] = useState<Zoom>(FITTING);
  /** A picture that isn't zoomed follows the finger. */
  const [swipe, setSwipe] = useState<Point>(CENTER);
  const gesture = useRef<Gesture | null>(null);

  const sizes = () => {
    const { offsetWidth: width = 0, offsetHeight: height = 0 } = picture.current ?? {};
    const { clientWidth = 0, clientHeight = 0 } = stage.current ?? {};
    return [
      { width, height },
      { width: clientWidth, height: clientHeight },
    ] as const;
  };
  const fromCenter = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => {
    const { left = 0, top = 0, width = 0, height = 0 } = stage.current?.getBoundingClientRect() ?? {};
    return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
  };
  const zoomBy = (factor: number, at = CENTER) => setZoom((now) => zoomed(now, factor, at, ...sizes()));
  const moveBy = (by: Point) => setZoom((now) => moved(now, by, ...sizes()));

  const onWheel = useRef<(event: WheelEvent) => void>(() => undefined);
  useEffect(() => {
    onWheel.current = (event) => {
      event.preventDefault();
      zoomBy(WHEEL_FACTOR ** -event.deltaY, fromCenter(event));
    };
  });
  useEffect(() => {
    const element = stage.current;
    const listener = (event: WheelEvent) => onWheel.current(event);
    // React's own listeners can't prevent that the page is zoomed.
    element?.addEventListener("wheel", listener, { passive: false });
    return () => element?.removeEventListener("wheel", listener);
  }, [stage]);

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const point = fromCenter(event);
    if (gesture.current === null) {
      const isOutside = event.target !== picture.current;
      const pointers = new Map([[event.pointerId, point]]);
      gesture.current = { pointers, start: point, isOutside, hasMoved: false, hadTwo: false };
    } else {
      gesture.current.pointers.set(event.pointerId, point);
      gesture.current.hadTwo = true;
    }
  };

  const onPointerMove = (event: PointerEvent) => {
    const { current } = gesture;
    const before = current?.pointers.get(event.pointerId);
    if (current === null || before === undefined) return;
    const point = fromCenter(event);
    const by = { x: point.x - before.x, y: point.y - before.y };
    current.pointers.set(event.pointerId, point);
    const [other] = [...current.pointers].filter(([id]) => id !== event.pointerId);
    if (other !== undefined) {
      const factor = distance(point, other[1]) / Math.max(1, distance(before, other[1]));
      zoomBy(factor, { x: (point.x + other[1].x) / 2, y: (point.y + other[1].y) / 2 });
      return moveBy({ x: by.x / 2, y: by.y / 2 });
    }
    if (distance(point, current.start) > SLOP_PX) current.hasMoved = true;
    if (!current.hasMoved) return;
    if (zoom.scale > 1) moveBy(by);
    else if (event.pointerType === "touch") setSwipe(({ x, y }) => ({ x: x + by.x, y: y + by.y }));
  };

  const onPointerUp = (event: PointerEvent) => {
    const { current } = gesture;
    if (current === null || !current.pointers.delete(event.pointerId) || current.pointers.size > 0) return;
    gesture.current = null;
    setSwipe(CENTER);
    if (event.type === "pointercancel" || current.hadTwo) return;
    if (!current.hasMoved) return current.isOutside ? onOutside() : undefined;
    if (event.pointerType !== "touch" || zoom.scale > 1) return;
    const end = fromCenter(event);
    const [x, y] = [end.x - current.start.x, end.y - current.start.y];
    if (Math.abs(x) >= SWIPE_PX && Math.abs(x) > Math.abs(y)) onSwipe(x < 0 ? "right" : "left");
    else if (y >= SWIPE_PX) onSwipe("top");
  };

  const onDoubleClick = (event: MouseEvent) => zoomBy(zoom.scale > 1 ? 0 : DOUBLE_FACTOR, fromCenter(event));

  const { scale, x, y } = zoom;
  return {
    scale,
    transform: `translate(${x + swipe.x}px, ${y + swipe.y}px) scale(${scale})`,
    zoomBy,
    moveBy,
    reset: () => setZoom(FITTING),
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp, onDoubleClick },
  };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

interface Size {
  width: number;
  height: number;
}

interface Point {
  x: number;
  y: number;
}

/** How a picture is shown: its scale, and how far its center is from that of the window. */
interface Zoom extends Point {
  scale: number;
}

export const FITTING: Zoom = { scale: 1, x: 0, y: 0 };
const MAX_SCALE = 8;

const clamp = (value: number, most: number) => Math.max(-most, Math.min(value, most));

/** Moves a picture that is larger than the window, but never past its edges. */
export function moved({ scale, x, y }: Zoom, by: Point, picture: Size, around: Size): Zoom {
  const room = (side: "width" | "height") => Math.max(0, (picture[side] * scale - around[side]) / 2);
  return { scale, x: clamp(x + by.x, room("width")), y: clamp(y + by.y, room("height")) };
}

/** @param at this point of the picture stays where it is, measured from the center of the window */
export function zoomed({ scale, x, y }: Zoom, factor: number, at: Point, picture: Size, around: Size): Zoom {
  const to = Math.min(MAX_SCALE, Math.max(1, scale * factor));
  const by = to / scale;
  const grown = { scale: to, x: at.x - (at.x - x) * by, y: at.y - (at.y - y) * by };
  return moved(grown, { x: 0, y: 0 }, picture, around);
}
