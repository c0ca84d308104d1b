import type { Message, ReportReason } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { RadioGroup } from "../../../ui/choices.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form, TextArea, useForm } from "../../../ui/form.tsx";

const REASONS: readonly ReportReason[] = ["spam", "harassment", "other"];

interface ReportDialogProps {
  message: Pick<Message, "id" | "channelId">;
  /** Whether it is in a direct channel, whose reports go to the admins. */
  isDirect: boolean;
  onClose: () => void;
}

export function ReportDialog({ message: { id, channelId }, isDirect, onClose }: ReportDialogProps) {
  const { t } = useTranslation("messages");
  const call = useCall();
  const form = useForm<{ reason: ReportReason; details: string }>({
    initial: { reason: "spam", details: "" },
    submit: ({ reason, details }) => call("report.create", { channelId, messageId: id, reason, details }),
    saved: isDirect ? t("report.sentToAdmins") : t("report.sent"),
    onDone: onClose,
  });
  const { reason, details } = form.values;
  return (
    <Dialog
      onClose={onClose}
      title={t("report.title")}
      description={isDirect ? t("report.textForAdmins") : t("report.text")}
    >
      <Form form={form} action={t("report.action")} disabled={reason === "other" && details.trim() === ""}>
        <RadioGroup
          label={t("report.reason")}
          value={reason}
          onChange={(chosen) => form.set("reason", chosen)}
          options={REASONS.map((value) => ({ value, label: t(`report.reasons.${value}`) }))}
        />
        <TextArea
          label={reason === "other" ? t("report.details") : t("report.optionalDetails")}
          maxLength={LIMITS.reportDetailsMaxChars}
          {...form.field("details")}
        />
      </Form>
    </Dialog>
  );
}
