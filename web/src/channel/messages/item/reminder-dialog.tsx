import type { Message } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { TimeDialog } from "../../../shared/time-dialog.tsx";
import { dayAndTime } from "../../../shared/times.ts";
import { showToast } from "../../../ui/feedback.tsx";

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
