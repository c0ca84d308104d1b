import { LoaderCircle } from "lucide-react";
import { cx } from "./cx.ts";

/** Something runs. With a `label` it says so to screen readers too. */
export function Spinner({
  size = 20,
  label,
  className,
}: {
  size?: number;
  label?: string;
  className?: string;
}) {
  return (
    <span role={label === undefined ? undefined : "status"} className={cx("inline-flex", className)}>
      <LoaderCircle size={size} aria-hidden className="animate-spin" />
      {label !== undefined && <span className="sr-only">{label}</span>}
    </span>
  );
}
