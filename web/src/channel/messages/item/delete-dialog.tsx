import { useTranslation } from "react-i18next";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { MarkdownPreview } from "../markdown/markdown.tsx";

interface DeleteDialogProps {
  /** The text of the message. */
  content: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

export function DeleteDialog({ content, onConfirm, onClose }: DeleteDialogProps) {
  const { t } = useTranslation("messages");
  return (
    <ConfirmDialog
      danger
      onClose={onClose}
      title={t("delete.title")}
      action={t("delete.action")}
      onConfirm={onConfirm}
    >
      <p>{t("delete.text")}</p>
      <blockquote className="mt-2 line-clamp-3 border-s-3 border-line-strong ps-3 wrap-anywhere">
        <MarkdownPreview content={content} />
      </blockquote>
    </ConfirmDialog>
  );
}
