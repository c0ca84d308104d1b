import type { LucideIcon } from "lucide-react";
import type { ComponentProps, ReactElement } from "react";
import { Tooltip as Base } from "@base-ui/react/tooltip";
import { cx } from "./cx.ts";

interface IconButtonProps extends Omit<ComponentProps<"button">, "children" | "aria-label"> {
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

interface TooltipProps {
  text: string;
  side?: "top" | "bottom" | "left" | "right";
  /** Something that can have the focus, with a name of its own: a tooltip is not read out. */
  children: ReactElement;
}

/** A short text while the pointer or the focus is there. */
export function Tooltip({ text, side = "top", children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children as ReactElement<Record<string, unknown>>} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="z-50">
          <Base.Popup className="pointer-events-none max-w-64 touch:hidden rounded-sm bg-tooltip px-2 py-1 text-xs font-medium text-on-tooltip transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
