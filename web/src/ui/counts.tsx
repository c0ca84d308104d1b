import { cx } from "./cx.ts";

const MAX_SHOWN = 99;

/** Hidden for 0; red for mentions. */
export function CountBadge({
  count,
  label,
  tone = "mention",
}: {
  count: number;
  /** The accessible label with the number: "3 unread". */
  label: string;
  tone?: "mention" | "neutral";
}) {
  if (count <= 0) return null;
  return (
    <span
      className={cx(
        "inline-flex h-5 min-w-5 shrink-0 items-center justify-center rounded-full px-1.5 text-xs font-bold tabular-nums",
        tone === "mention" ? "bg-badge text-on-badge" : "bg-selected text-text",
      )}
    >
      <span aria-hidden>{count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}</span>
      <span className="sr-only">{label}</span>
    </span>
  );
}

/** Next to a bold name: something is unread, but no one waits for an answer. */
export function UnreadDot() {
  return <span aria-hidden className="mx-1 size-2 shrink-0 rounded-full bg-text" />;
}
