import { useRef } from "react";
import { followFinger, useSwipe } from "./swipe.ts";

/** For positioners. On phones, the popup isn't next to its trigger but at the lower edge of the window, with the class `max-md:sheet`. */
export const PLACE_CLASS = "z-50 max-md:transform-none! max-md:will-change-auto!";

/** For backdrops that only sheets have. */
export const BACKDROP_CLASS = "fixed inset-0 z-50 bg-overlay fade md:hidden";

/** The first child of a sheet. Pulling it down closes the sheet. */
export function SheetHandle({ onClose }: { onClose: () => void }) {
  const handle = useRef<HTMLDivElement>(null);
  useSwipe(handle, "down", () => {
    const { move, release } = followFinger(handle.current!.parentElement!, "down");
    return {
      onMove: move,
      onEnd(isDone) {
        release(isDone);
        if (isDone) onClose();
      },
    };
  });
  return (
    <div ref={handle} aria-hidden className="sticky top-0 touch-none bg-raised py-3 md:hidden">
      <div className="mx-auto h-1 w-9 rounded-full bg-line-strong/60" />
    </div>
  );
}
