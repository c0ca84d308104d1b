import type { ReactNode } from "react";
import { cx } from "./cx.ts";

export type BadgeTone = "neutral" | "accent" | "danger" | "good" | "warn";

const TONES: Record<BadgeTone, string> = {
  neutral: "bg-selected text-text",
  accent: "bg-accent-soft text-accent-text",
  danger: "bg-danger-soft text-danger-text",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn-text",
};

/** A word about something, such as "bot" or "owner". */
export function Badge({ tone = "neutral", children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span
      className={cx(
        "inline-flex shrink-0 items-center rounded-sm px-1.5 py-px text-xs font-medium",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
