import type { Session } from "@fanfare/contract";
import { Monitor, Smartphone } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useAction } from "../../../shared/use-action.ts";
import { useFormats } from "../../../shared/use-formats.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { deviceOf } from "./device.ts";
import { useDeviceName } from "./use-device-name.ts";

export function SessionRow({ session }: { session: Session }) {
  const { t } = useTranslation("user-settings");
  const { dateTime } = useFormats();
  const name = useDeviceName()(session.userAgent);
  const call = useCall();
  const { busy, error, run } = useAction();
  const { id, address, userAgent, refreshedAt, current } = session;
  const Icon = deviceOf(userAgent).isPhone ? Smartphone : Monitor;
  const seen = t("sessions.seen", { time: dateTime(Date.parse(refreshedAt)) });
  return (
    <>
      <ListRow
        leading={
          <span className="flex size-9 shrink-0 items-center justify-center rounded-full bg-hover text-muted">
            <Icon size={18} aria-hidden />
          </span>
        }
        title={name}
        subtitle={
          <span className="whitespace-normal">{address === null ? seen : `${seen} · ${address}`}</span>
        }
        trailing={
          current ? (
            <Badge tone="good">{t("sessions.current")}</Badge>
          ) : (
            <Button
              size="sm"
              busy={busy}
              aria-label={t("sessions.endOf", { name })}
              onClick={() => void run(() => call("user.revokeSession", { sessionId: id }))}
            >
              {t("sessions.end")}
            </Button>
          )
        }
      />
      <ErrorNote text={error} />
    </>
  );
}
