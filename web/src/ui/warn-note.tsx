import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./cx.ts";

/** What to know before going on. */
export function WarnNote({ danger = false, children }: { danger?: boolean; children: ReactNode }) {
  return (
    <p
      className={cx(
        "flex items-start gap-2.5 rounded-md px-3 py-2 text-sm",
        danger ? "bg-danger-soft text-danger-text" : "bg-warn-soft text-warn-text",
      )}
    >
      <TriangleAlert size={18} aria-hidden className="mt-px shrink-0" />
      {children}
    </p>
  );
}
