import type { ReactNode } from "react";
import { cx } from "./cx.ts";

interface ListRowProps {
  /** An avatar or an icon. */
  leading?: ReactNode;
  title: ReactNode;
  subtitle?: ReactNode;
  /** Buttons and badges at the end. */
  trailing?: ReactNode;
  /** Makes the whole row a button; `trailing` stays beside it. */
  onClick?: () => void;
  selected?: boolean;
}

/** One of a list of members, invites, sessions …: put it into an <li>. */
export function ListRow({ leading, title, subtitle, trailing, onClick, selected = false }: ListRowProps) {
  const content = (
    <>
      {leading}
      <span className="grid min-w-0 flex-1">
        <span className="truncate font-medium">{title}</span>
        {subtitle !== undefined && <span className="truncate text-sm text-muted">{subtitle}</span>}
      </span>
    </>
  );
  const inner = "flex min-h-row min-w-0 flex-1 items-center gap-3 px-2 py-1.5 text-left";
  return (
    <div
      className={cx(
        "flex items-center gap-2 rounded-md pr-1",
        selected ? "bg-selected" : onClick && "hover:bg-hover",
      )}
    >
      {onClick ? (
        <button type="button" className={cx(inner, "rounded-md -outline-offset-2")} onClick={onClick}>
          {content}
        </button>
      ) : (
        <div className={inner}>{content}</div>
      )}
      {trailing !== undefined && <div className="flex shrink-0 items-center gap-1">{trailing}</div>}
    </div>
  );
}
