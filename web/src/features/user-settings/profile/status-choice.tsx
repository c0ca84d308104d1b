import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { type OwnStatus, useOwnStatus } from "../../../data/presence.ts";
import { useAction } from "../../../shared/use-action.ts";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { RadioGroup } from "../../../ui/radio-group.tsx";

const STATUSES: readonly OwnStatus[] = ["online", "idle", "doNotDisturb", "invisible"];

/** What others see of somebody who is connected. */
export function StatusChoice() {
  const { t } = useTranslation("user-settings");
  const { data: status = "online" } = useOwnStatus();
  const call = useCall();
  const { error, run } = useAction();
  return (
    <div className="grid gap-3">
      <RadioGroup
        label={t("profile.status")}
        value={status}
        onChange={(next) => void run(() => call("presence.setStatus", { status: next }))}
        options={STATUSES.map((value) => ({
          value,
          label: t(`shell:presence.${value}`),
          hint: t(`profile.statusHint.${value}`),
        }))}
      />
      <ErrorNote text={error} />
    </div>
  );
}
