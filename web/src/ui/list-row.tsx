import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./cx.ts";

interface ListRowProps {
  leading?: ReactNode;
  title: ReactNode;
  subtitle?: ReactNode;
  trailing?: ReactNode;
  /** Makes the whole row a button; `trailing` stays separate. */
  onClick?: () => void;
  selected?: boolean;
  className?: string;
  /** Below the row, such as an error. */
  children?: ReactNode;
}

/** A row of a list of members, invites, sessions, … */
export function ListRow(props: ListRowProps) {
  const { leading, title, subtitle, trailing, onClick, selected = false, className, children } = props;
  const content = (
    <>
      {leading}
      <span className="grid min-w-0 flex-1">
        <span className="truncate font-medium">{title}</span>
        {subtitle !== undefined && <span className="truncate text-sm text-muted">{subtitle}</span>}
      </span>
    </>
  );
  const inner = "flex min-h-row min-w-0 flex-1 items-center gap-3 px-2 py-1.5 text-start";
  return (
    <li className={className}>
      <div
        className={cx(
          "flex items-center gap-2 rounded-md pe-1",
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
      {children}
    </li>
  );
}

/** For `leading`, in the place of an avatar. */
export function RowIcon({ icon: Icon }: { icon: LucideIcon }) {
  return (
    <span className="flex size-9 shrink-0 items-center justify-center rounded-full bg-hover text-muted">
      <Icon size={18} aria-hidden />
    </span>
  );
}
