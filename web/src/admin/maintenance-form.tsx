import type { Maintenance } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { useAction } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { TextArea } from "../ui/form.tsx";

export function MaintenanceForm({ maintenance }: { maintenance: Maintenance }) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const [message, setMessage] = useState(maintenance.message);
  const [asking, setAsking] = useState(false);
  const { busy, error, run } = useAction();
  const text = message.trim();
  const turnOn = () => call("admin.setMaintenance", { enabled: true, ...(text !== "" && { message: text }) });
  if (maintenance.enabled) {
    return (
      <div className="grid gap-4 rounded-lg border border-line bg-warn-soft p-4">
        <p className="font-semibold text-warn-text">{t("maintenance.isOn")}</p>
        {maintenance.message !== "" && (
          <p className="wrap-anywhere whitespace-pre-wrap">{maintenance.message}</p>
        )}
        <ErrorNote text={error} />
        <div>
          <Button
            variant="primary"
            busy={busy}
            onClick={() => void run(() => call("admin.setMaintenance", { enabled: false }))}
          >
            {t("maintenance.turnOff")}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div className="grid gap-4">
      <TextArea
        label={t("maintenance.message")}
        hint={t("maintenance.messageHint")}
        maxLength={LIMITS.noticeMaxChars}
        value={message}
        onChange={setMessage}
      />
      <div>
        <Button variant="danger" onClick={() => setAsking(true)}>
          {t("maintenance.turnOn")}
        </Button>
      </div>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t("maintenance.confirmTitle")}
        action={t("maintenance.turnOn")}
        danger
        onConfirm={turnOn}
      >
        {t("maintenance.confirmText")}
      </ConfirmDialog>
    </div>
  );
}
