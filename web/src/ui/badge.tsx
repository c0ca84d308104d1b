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

const MAX_SHOWN = 99;

/** How many are new. Shows nothing for none; mentions are filled with the accent. */
export function CountBadge({
  count,
  label,
  tone = "accent",
}: {
  count: number;
  /** What is counted, with the number: "3 unread". */
  label: string;
  tone?: "accent" | "neutral";
}) {
  if (count <= 0) return null;
  return (
    <span
      className={cx(
        "inline-flex h-5 min-w-5 shrink-0 items-center justify-center rounded-full px-1.5 text-xs font-bold tabular-nums",
        tone === "accent" ? "bg-accent text-on-accent" : "bg-selected text-text",
      )}
    >
      <span aria-hidden>{count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}</span>
      <span className="sr-only">{label}</span>
    </span>
  );
}
