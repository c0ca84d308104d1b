import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import type { MessageDialog } from "../list/message-context.ts";
import { useTranslation } from "react-i18next";
import { useMessageContext } from "../list/message-context.ts";
import { HistoryDialog } from "./history-dialog.tsx";
import { ReactorsDialog } from "./reactors-dialog.tsx";
import { MarkdownPreview } from "../markdown/preview.tsx";

/** What is asked or shown in front of the list; one at a time. */
export function MessageDialogs({ dialog, onClose }: { dialog: MessageDialog | null; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const { view } = useMessageContext();
  if (dialog === null) return null;
  const { message } = dialog;
  switch (dialog.kind) {
    case "delete":
      return (
        <ConfirmDialog
          open
          danger
          onClose={onClose}
          title={t("delete.title")}
          action={t("delete.action")}
          onConfirm={() => view.delete(message.id)}
        >
          <p>{t("delete.text")}</p>
          <blockquote className="mt-2 line-clamp-3 border-l-3 border-line-strong pl-3 wrap-anywhere">
            <MarkdownPreview content={message.content} />
          </blockquote>
        </ConfirmDialog>
      );
    case "history":
      return <HistoryDialog message={message} onClose={onClose} />;
    case "reactors":
      return <ReactorsDialog message={message} emoji={dialog.emoji} onClose={onClose} />;
  }
}
