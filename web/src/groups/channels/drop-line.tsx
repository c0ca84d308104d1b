import { cx } from "../../ui/cx.ts";
import type { Edge } from "./reorder.ts";

/** Where what is dragged would be put. Within something `relative`. */
export function DropLine({ edge }: { edge: Edge | null }) {
  if (edge === null) return null;
  return (
    <span
      aria-hidden
      className={cx(
        "pointer-events-none absolute inset-x-1 h-0.5 rounded-full bg-accent",
        edge === "before" ? "-top-px" : "-bottom-px",
      )}
    />
  );
}
