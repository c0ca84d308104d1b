import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, useInsertionEffect, useRef } from "react";
import { cx } from "./cx.ts";
import { useModal } from "./dialog.tsx";

interface DrawerProps {
  open: boolean;
  onClose: () => void;
  /** What it is, for screen readers. */
  label: string;
  /** As wide as the window: a page in front of the page. */
  isFull?: boolean;
  children: ReactNode;
}

/** Comes from the left over everything else: the lists of a phone. */
export function Drawer({ open, onClose, label, isFull = false, children }: DrawerProps) {
  const popup = useModal(open);
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-overlay transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          aria-label={label}
          className={cx(
            "fixed inset-y-0 left-0 z-30 flex bg-sidebar shadow-raised outline-none transition-transform duration-200",
            isFull
              ? "w-full data-ending-style:translate-x-full data-starting-style:translate-x-full"
              : "w-[min(20rem,calc(100vw-3rem))] data-ending-style:-translate-x-full data-starting-style:-translate-x-full",
          )}
        >
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  /** What it is, for screen readers. */
  label: string;
  /** A field with `autoFocus`, so that keys typed right away are not lost, and its results. */
  children: ReactNode;
}

/** A field in front of everything else, near the top, for who knows what they want. Esc and a click beside it close. */
export function Palette({ open, onClose, label, children }: PaletteProps) {
  const popup = useModal(open);
  const before = useRef<HTMLElement | null>(null);
  // Runs before `autoFocus`, after which the popup would take the field for the element to return the focus to.
  useInsertionEffect(() => {
    if (open && document.activeElement instanceof HTMLElement) before.current = document.activeElement;
  }, [open]);
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-overlay transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          finalFocus={() => (before.current?.isConnected ? before.current : true)}
          aria-label={label}
          className="fixed inset-x-2 top-[calc(env(safe-area-inset-top)+0.5rem)] z-40 mx-auto flex max-h-[calc(100dvh-1rem)] max-w-xl flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-raised outline-none transition-[opacity,scale] duration-100 data-ending-style:scale-97 data-ending-style:opacity-0 data-starting-style:scale-97 data-starting-style:opacity-0 md:top-[12dvh] md:max-h-[70dvh]"
        >
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
