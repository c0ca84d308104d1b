import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx.ts";
import { Spinner } from "./feedback.tsx";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger" | "danger-ghost";

export interface ButtonProps extends ComponentProps<"button"> {
  /** One `primary` in a place; `danger` for what cannot be undone. Default: `secondary`. */
  variant?: ButtonVariant;
  size?: "md" | "sm";
  /** Runs: shows a spinner and takes no clicks. */
  busy?: boolean;
  icon?: ReactNode;
  /** As wide as there is room. */
  wide?: boolean;
}

const VARIANTS: Record<ButtonVariant, string> = {
  primary: "bg-accent text-on-accent hover:not-disabled:bg-accent-hover",
  secondary: "border border-line-strong/60 bg-raised hover:not-disabled:bg-hover",
  ghost: "text-muted hover:not-disabled:bg-hover hover:not-disabled:text-text",
  danger: "bg-danger text-on-danger hover:not-disabled:bg-danger-hover",
  "danger-ghost": "text-danger-text hover:not-disabled:bg-danger-soft",
};

/** How a button looks, for links that look like one. */
export function buttonClass({
  variant = "secondary",
  size = "md",
  wide = false,
}: Pick<ButtonProps, "variant" | "size" | "wide"> = {}): string {
  return cx(
    "inline-flex select-none items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap transition-colors disabled:opacity-50 aria-pressed:border-accent aria-pressed:bg-accent-soft",
    size === "md" ? "min-h-control px-3.5 text-[0.9375rem]" : "min-h-control-sm px-2.5 text-sm",
    wide && "w-full",
    VARIANTS[variant],
  );
}

export function Button({
  variant,
  size,
  busy = false,
  icon,
  wide,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={cx(
        buttonClass({ ...(variant && { variant }), ...(size && { size }), ...(wide && { wide }) }),
        className,
      )}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {busy ? <Spinner size={16} /> : icon}
      {children}
    </button>
  );
}
