import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { TimeDialog } from "../shared/time-dialog.tsx";
import { dayAndTime } from "../shared/times.ts";
import { showToast } from "../ui/feedback.tsx";

interface ScheduleDialogProps {
  channelId: string;
  content: string;
  /** Called when the message is scheduled. */
  onDone: () => void;
  onClose: () => void;
}

/** Asks when to send a message. */
export function ScheduleDialog({ channelId, content, onDone, onClose }: ScheduleDialogProps) {
  const { t } = useTranslation("composer");
  const call = useCall();
  const schedule = async (time: Date) => {
    const sendAt = time.toISOString();
    await call("scheduled.add", { channelId, content, sendAt });
    onDone();
    showToast({ text: t("schedule.isSet", { time: dayAndTime(sendAt) }), tone: "good" });
  };
  return (
    <TimeDialog title={t("schedule.title")} action={t("schedule.set")} onPick={schedule} onClose={onClose} />
  );
}
