import { cloneElement, type ComponentProps, type MouseEvent, type ReactElement } from "react";
import { cx } from "./cx.ts";
import { Spinner } from "./feedback.tsx";
import type { LucideIcon } from "lucide-react";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger" | "danger-ghost";

export interface ButtonProps extends ComponentProps<"button"> {
  /** At most one `primary` per view; `danger` for irreversible actions. Default: `secondary`. */
  variant?: ButtonVariant;
  size?: "md" | "sm";
  /** Shows a spinner and ignores clicks. Not disabled, which would take the focus from it. */
  busy?: boolean;
  icon?: LucideIcon;
  wide?: boolean;
}

const VARIANTS: Record<ButtonVariant, string> = {
  primary: "bg-accent text-on-accent hover:not-disabled:bg-accent-hover",
  secondary: "border border-line-strong/60 bg-raised hover:not-disabled:bg-hover",
  ghost: "text-muted hover:not-disabled:bg-hover hover:not-disabled:text-text",
  danger: "bg-danger text-on-danger hover:not-disabled:bg-danger-hover",
  "danger-ghost": "text-danger-text hover:not-disabled:bg-danger-soft",
};

/** Button styles for links. */
export function buttonClass({
  variant = "secondary",
  size = "md",
  wide = false,
}: Pick<ButtonProps, "variant" | "size" | "wide"> = {}): string {
  return cx(
    "inline-flex select-none items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap transition-colors disabled:opacity-50 aria-busy:pointer-events-none aria-busy:opacity-50 aria-pressed:border-accent aria-pressed:bg-accent-soft",
    size === "md" ? "min-h-control px-3.5 text-base" : "min-h-control-sm px-2.5 text-sm",
    wide && "w-full",
    VARIANTS[variant],
  );
}

export function Button({
  variant,
  size,
  busy = false,
  icon: Icon,
  wide,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={cx(
        buttonClass({ ...(variant && { variant }), ...(size && { size }), ...(wide && { wide }) }),
        className,
      )}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? ignore : onClick}
      {...rest}
    >
      {busy ? <Spinner size={16} /> : Icon && <Icon size={16} aria-hidden />}
      {children}
    </button>
  );
}

/** Also keeps a submit button from submitting its form. */
function ignore(event: MouseEvent): void {
  event.preventDefault();
}

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children" | "aria-label"> {
  icon: LucideIcon;
  /** The accessible name and tooltip. */
  label: string;
  /** A shortcut, shown in the tooltip. */
  keys?: readonly string[];
  size?: "md" | "sm";
  /** Shown next to the icon, if there is room. */
  count?: number;
  /** For toggle buttons: whether it is on. */
  pressed?: boolean;
  variant?: "ghost" | "danger";
  tooltipSide?: TooltipSide;
}

export function IconButton({
  icon: Icon,
  label,
  keys,
  size = "md",
  count,
  pressed,
  variant = "ghost",
  tooltipSide = "top",
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={keys === undefined ? label : `${label} (${keys.join(" ")})`} side={tooltipSide}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={pressed}
        className={cx(
          "inline-flex shrink-0 items-center justify-center rounded-md text-muted transition-colors disabled:opacity-50",
          "hover:not-disabled:bg-hover hover:not-disabled:text-text data-popup-open:bg-hover data-popup-open:text-text aria-pressed:bg-selected aria-pressed:text-text",
          variant === "danger" && "hover:not-disabled:bg-danger-soft hover:not-disabled:text-danger-text",
          size === "md" ? "h-control min-w-control" : "size-control-sm",
          count !== undefined && "gap-1.5 text-sm font-medium tabular-nums md:px-2",
          className,
        )}
        {...rest}
      >
        <Icon size={size === "md" ? 20 : 16} aria-hidden />
        {count !== undefined && (
          // As generated content, because the label must contain all text that is shown.
          <span aria-hidden data-count={count} className="before:content-[attr(data-count)] max-md:hidden" />
        )}
      </button>
    </Tooltip>
  );
}

export type TooltipSide = "top" | "bottom" | "left" | "right";

interface TooltipProps {
  text: string;
  side?: TooltipSide;
  /** A focusable element with an accessible name, since tooltips aren't announced. */
  children: ReactElement;
}

/** Only marks the element: `Tooltips` shows the text. */
export function Tooltip({ text, side = "top", children }: TooltipProps) {
  return cloneElement(children as ReactElement<Record<string, unknown>>, {
    "data-tooltip": text,
    "data-tooltip-side": side,
  });
}
