import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { cx } from "./cx.ts";
import { Tooltip } from "./tooltip.tsx";

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children" | "aria-label"> {
  icon: LucideIcon;
  /** What it does: its name for screen readers, and its tooltip. */
  label: string;
  size?: "md" | "sm";
  /** Whether what it switches is on; leave it out where nothing is switched. */
  pressed?: boolean;
  variant?: "ghost" | "danger";
  tooltipSide?: "top" | "bottom" | "left" | "right";
}

export function IconButton({
  icon: Icon,
  label,
  size = "md",
  pressed,
  variant = "ghost",
  tooltipSide = "top",
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label} side={tooltipSide}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={pressed}
        className={cx(
          "inline-flex shrink-0 items-center justify-center rounded-md text-muted transition-colors disabled:opacity-50",
          "hover:not-disabled:bg-hover hover:not-disabled:text-text data-popup-open:bg-hover data-popup-open:text-text aria-pressed:bg-selected aria-pressed:text-text",
          variant === "danger" && "hover:not-disabled:bg-danger-soft hover:not-disabled:text-danger-text",
          size === "md" ? "size-control" : "size-control-sm",
          className,
        )}
        {...rest}
      >
        <Icon size={size === "md" ? 20 : 16} aria-hidden />
      </button>
    </Tooltip>
  );
}
