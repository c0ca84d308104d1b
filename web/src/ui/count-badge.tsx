import { cx } from "./cx.ts";

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
