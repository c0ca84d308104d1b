import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { useModal } from "./use-modal.ts";

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
