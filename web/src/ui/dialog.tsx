import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "./cx.ts";
import { IconButton } from "./icon-button.tsx";
import { useModal } from "./use-modal.ts";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons at the end, the main one last. */
  footer?: ReactNode;
  size?: "sm" | "md" | "lg";
  /** What gets the focus when it closes; by default what had it before. */
  finalFocus?: () => HTMLElement | null;
}

const OPERABLE = "a[href], button, input, select, textarea, summary, [tabindex]";
const SIZES = { sm: "max-w-sm", md: "max-w-md", lg: "max-w-2xl" };

/** A question or a form before everything else. Esc and a click beside it close; the focus goes back to where it was. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, description, children, footer, size = "md", finalFocus } = props;
  const { t } = useTranslation("ui");
  const content = useRef<HTMLDivElement>(null);
  // The focus would be on the button that closes, whose tooltip takes the first Esc; and what is long is scrolled by keys.
  const focusText = () => {
    if (content.current === null || content.current.querySelector(OPERABLE) !== null || footer !== undefined)
      return true;
    content.current.tabIndex = 0;
    return content.current;
  };
  const popup = useModal(open);
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-overlay transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          initialFocus={focusText}
          {...(finalFocus && { finalFocus })}
          className={cx(
            "fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-line bg-raised shadow-raised outline-none transition-[opacity,scale] duration-150 data-ending-style:scale-97 data-ending-style:opacity-0 data-starting-style:scale-97 data-starting-style:opacity-0",
            SIZES[size],
          )}
        >
          <header className="grid gap-1 py-1 pt-5 pr-14 pl-5">
            <Base.Title className="text-lg leading-tight font-semibold">{title}</Base.Title>
            {description !== undefined && (
              <Base.Description className="text-sm text-muted">{description}</Base.Description>
            )}
          </header>
          <div ref={content} className="grid gap-4 overflow-y-auto outline-none px-5 pt-3 pb-5">
            {children}
          </div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
              {footer}
            </footer>
          )}
          {/* Last, so that the focus begins in the first field. */}
          <Base.Close
            render={
              <IconButton
                icon={X}
                label={t("close")}
                size="sm"
                className="absolute top-3.5 right-3.5"
                tooltipSide="left"
              />
            }
          />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
