import { AlertDialog as Base } from "@base-ui/react/alert-dialog";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useAction } from "../shared/use-action.ts";
import { Button } from "./button.tsx";
import { ErrorNote } from "./error-note.tsx";
import { useModal } from "./use-modal.ts";

export interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** What happens, and whether it can be undone. */
  children?: ReactNode;
  /** What the button says: the deed itself, such as "Delete channel". */
  action: string;
  danger?: boolean;
  /** Closes when it resolves; what it throws is shown. */
  onConfirm: () => Promise<unknown>;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  children,
  action,
  danger = false,
  onConfirm,
}: ConfirmDialogProps) {
  const { t } = useTranslation("ui");
  const { busy, error, run } = useAction();
  const confirm = async () => {
    if (await run(onConfirm)) onClose();
  };
  const popup = useModal(open);
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-overlay transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          className="fixed top-1/2 left-1/2 z-40 grid w-[calc(100vw-2rem)] max-w-sm -translate-x-1/2 -translate-y-1/2 gap-3 rounded-lg border border-line bg-raised p-5 shadow-raised outline-none transition-[opacity,scale] duration-150 data-ending-style:scale-97 data-ending-style:opacity-0 data-starting-style:scale-97 data-starting-style:opacity-0"
        >
          <Base.Title className="text-lg leading-tight font-semibold">{title}</Base.Title>
          {children !== undefined && (
            <Base.Description render={<div />} className="text-muted">
              {children}
            </Base.Description>
          )}
          <ErrorNote text={error} />
          <div className="mt-2 flex flex-wrap justify-end gap-2">
            <Base.Close render={<Button />}>{t("cancel")}</Base.Close>
            <Button variant={danger ? "danger" : "primary"} busy={busy} onClick={() => void confirm()}>
              {action}
            </Button>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
