import { useTranslation } from "react-i18next";
import type { Message } from "@fanfare/contract";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { MarkdownPreview } from "../markdown/markdown.tsx";
import { useCall } from "../../../data/call.ts";
import { TimeDialog } from "../../../shared/time-dialog.tsx";
import { dayAndTime } from "../../../shared/times.ts";
import { showToast } from "../../../ui/feedback.tsx";

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

interface ReminderDialogProps {
  message: Pick<Message, "id" | "channelId">;
  onClose: () => void;
}

/** Saves a message with a reminder. */
export function ReminderDialog({ message: { id: messageId, channelId }, onClose }: ReminderDialogProps) {
  const { t } = useTranslation("messages");
  const call = useCall();
  const remind = async (time: Date) => {
    const remindAt = time.toISOString();
    await call("saved.add", { channelId, messageId, remindAt });
    showToast({ text: t("reminder.isSet", { time: dayAndTime(remindAt) }), tone: "good" });
  };
  return (
    <TimeDialog title={t("reminder.title")} action={t("reminder.set")} onPick={remind} onClose={onClose} />
  );
}
