import type { ReactNode } from "react";
import { openProfile } from "./people-store.ts";

interface UserPopoverProps {
  userId: string;
  /** The group in whose eyes they are shown, with their roles; null: none. */
  groupId: string | null;
  /** For what shows no name, such as a picture. */
  label?: string;
  className?: string;
  /** -1 where the same card can be had by another button. */
  tabIndex?: number;
  children: ReactNode;
}

/** A name, picture or mention that shows the card of its user. */
export function UserPopover({ userId, groupId, label, className, tabIndex, children }: UserPopoverProps) {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-label={label}
      tabIndex={tabIndex}
      className={className}
      onClick={({ currentTarget }) => openProfile({ userId, groupId, anchor: currentTarget })}
    >
      {children}
    </button>
  );
}
