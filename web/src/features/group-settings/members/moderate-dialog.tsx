import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useFormats } from "../../../shared/use-formats.ts";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Select } from "../../../ui/select.tsx";
import { TextField } from "../../../ui/text-field.tsx";

interface ModerateDialogProps {
  kind: "mute" | "kick" | "ban";
  groupId: string;
  userId: string;
  name: string;
  onClose: () => void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DURATIONS_MS = [5 * MINUTE_MS, HOUR_MS, DAY_MS, 7 * DAY_MS, 28 * DAY_MS];

/** Mutes, puts out or bans a member, with a reason for the audit log. */
export function ModerateDialog({ kind, groupId, userId, name, onClose }: ModerateDialogProps) {
  const { t } = useTranslation("group-settings");
  const { duration } = useFormats();
  const call = useCall();
  const [reason, setReason] = useState("");
  const [durationMs, setDurationMs] = useState(String(HOUR_MS));
  const confirm = () => {
    const about = { groupId, userId, ...(reason.trim() !== "" && { reason }) };
    if (kind === "mute") return call("group.mute", { ...about, durationMs: Number(durationMs) });
    return call(kind === "kick" ? "group.kick" : "group.ban", about);
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      danger={kind !== "mute"}
      title={t(`moderate.${kind}.title`, { name })}
      action={t(`moderate.${kind}.action`)}
      onConfirm={confirm}
    >
      <div className="grid gap-4">
        <p>{t(`moderate.${kind}.text`)}</p>
        <div className="grid gap-4 text-text">
          {kind === "mute" && (
            <Select
              label={t("moderate.duration")}
              value={durationMs}
              onChange={setDurationMs}
              options={DURATIONS_MS.map((ms) => ({ value: String(ms), label: duration(ms) }))}
            />
          )}
          <TextField
            label={t("moderate.reason")}
            hint={t("moderate.reasonHint")}
            maxLength={LIMITS.reasonMaxChars}
            value={reason}
            onChange={setReason}
            autoComplete="off"
          />
        </div>
      </div>
    </ConfirmDialog>
  );
}
