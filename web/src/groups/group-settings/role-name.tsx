import type { Role } from "@fanfare/contract";
import { cx } from "../../ui/cx.ts";

/** A role with its colour before it: as a text the colour might not be readable. */
export function RoleName({ role }: { role: Pick<Role, "name" | "color"> }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <span
        aria-hidden
        className={cx("size-2.5 shrink-0 rounded-full", role.color === null && "bg-line-strong")}
        style={role.color === null ? undefined : { backgroundColor: colorText(role.color) }}
      />
      <span className="truncate">{role.name}</span>
    </span>
  );
}

/** A colour as CSS and colour fields write it. */
export function colorText(color: number): string {
  return `#${color.toString(16).padStart(6, "0")}`;
}
