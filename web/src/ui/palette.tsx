import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { useModal } from "./use-modal.ts";

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  /** What it is, for screen readers. */
  label: string;
  /** A field, which gets the focus, and what it finds. */
  children: ReactNode;
}

/** A field in front of everything else, near the top, for who knows what they want. Esc and a click beside it close. */
export function Palette({ open, onClose, label, children }: PaletteProps) {
  const popup = useModal(open);
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-overlay transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          aria-label={label}
          className="fixed inset-x-2 top-[calc(env(safe-area-inset-top)+0.5rem)] z-40 mx-auto flex max-h-[calc(100dvh-1rem)] max-w-xl flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-raised outline-none transition-[opacity,scale] duration-100 data-ending-style:scale-97 data-ending-style:opacity-0 data-starting-style:scale-97 data-starting-style:opacity-0 md:top-[12dvh] md:max-h-[70dvh]"
        >
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
