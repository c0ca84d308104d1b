import { Popover as Base } from "@base-ui/react/popover";
import { type ReactElement, type ReactNode, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useBack } from "./use-back.ts";
import { cx } from "./cx.ts";
import { isPhone } from "./hooks.ts";
import { POPUP_CLASS } from "./menu.tsx";
import { BACKDROP_CLASS, PLACE_CLASS, SheetHandle } from "./sheet.tsx";

export interface PopoverProps {
  /** The button that opens it. */
  trigger: ReactElement;
  /** The accessible name. */
  label: string;
  /** A function receives `close`. */
  children: ReactNode | ((close: () => void) => ReactNode);
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  side?: "top" | "bottom" | "left" | "right";
  align?: "start" | "center" | "end";
  className?: string;
}

/** A card, picker or small form next to a button. */
export function Popover({
  trigger,
  label,
  children,
  open,
  onOpenChange,
  side = "bottom",
  align = "center",
  className,
}: PopoverProps) {
  const { t } = useTranslation("ui");
  const [isOpenHere, setOpenHere] = useState(false);
  const change = (next: boolean) => {
    setOpenHere(next);
    onOpenChange?.(next);
  };
  const close = () => change(false);
  const isOpen = open ?? isOpenHere;
  useBack(isOpen, close);
  return (
    <Base.Root open={isOpen} modal={isPhone() && "trap-focus"} onOpenChange={(next) => change(next)}>
      <Base.Trigger render={trigger as ReactElement<Record<string, unknown>>} />
      <Base.Portal>
        <Base.Backdrop className={BACKDROP_CLASS} />
        <Base.Positioner
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className={PLACE_CLASS}
        >
          <Base.Popup
            aria-label={label}
            className={cx(POPUP_CLASS, "max-w-[calc(100vw-1rem)] p-3", className)}
          >
            <SheetHandle onClose={close} />
            {typeof children === "function" ? children(close) : children}
            <Base.Close className="sr-only md:hidden">{t("close")}</Base.Close>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface AnchoredPopoverProps {
  /** The element it is placed next to, which gets the focus back. */
  anchor: HTMLElement;
  /** The accessible name. */
  label: string;
  onClose: () => void;
  side: "left" | "right";
  className?: string;
  children: ReactNode;
}

/** A popover shared by many buttons, so that each of them stays cheap. */
export function AnchoredPopover({ anchor, label, onClose, side, className, children }: AnchoredPopoverProps) {
  const place = useMemo(() => stablePlace(anchor), [anchor]);
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Positioner
          anchor={place}
          side={side}
          align="start"
          sideOffset={8}
          collisionPadding={8}
          collisionAvoidance={{ fallbackAxisSide: "end" }}
          className="z-30"
        >
          <Base.Popup
            aria-label={label}
            finalFocus={() => (anchor.isConnected ? anchor : true)}
            className={cx(POPUP_CLASS, "max-w-[calc(100vw-1rem)] overflow-hidden", className)}
          >
            <div className="-m-1">{children}</div>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** The element's position, kept when a virtual list removes it. */
function stablePlace(anchor: HTMLElement) {
  let last = anchor.getBoundingClientRect();
  return {
    contextElement: anchor,
    getBoundingClientRect() {
      if (anchor.isConnected) last = anchor.getBoundingClientRect();
      return last;
    },
  };
}
