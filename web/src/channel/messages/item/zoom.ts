interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** How a picture is shown: its scale, and how far its center is from that of the window. */
export interface Zoom extends Point {
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
