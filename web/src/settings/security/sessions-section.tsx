import type { Session } from "@fanfare/contract";
import { LogOut, Monitor, Smartphone } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe, useSessions } from "../../data/me.ts";
import { useCall } from "../../data/call.ts";
import { useAction } from "../../shared/use-action.ts";
import { formatTime } from "../../shared/times.ts";
import { Badge } from "../../ui/display.tsx";
import { ListRow, RowIcon } from "../../ui/list-row.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { ErrorNote, SkeletonRows, Pending } from "../../ui/feedback.tsx";
import { endSession } from "../../session/session-store.ts";
import { Section } from "../section.tsx";
import { parseUserAgent, useDeviceName } from "./device.ts";

export function SessionsSection() {
  const { t } = useTranslation("settings");
  const query = useSessions();
  const { data: sessions } = query;
  const isGuest = useMe().kind === "guest";
  const [asks, setAsks] = useState(false);
  return (
    <Section title={t("sessions.title")} text={t("sessions.text")}>
      {sessions === undefined ? (
        <Pending of={query}>
          <SkeletonRows count={3} withAvatar />
        </Pending>
      ) : (
        <ul className="grid gap-px">
          {sessions
            .toSorted((a, b) => Number(b.current) - Number(a.current))
            .map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
        </ul>
      )}
      <div>
        <Button variant="danger-ghost" icon={LogOut} onClick={() => setAsks(true)}>
          {t("sessions.all")}
        </Button>
      </div>
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={t("sessions.all")}
        action={t("sessions.all")}
        danger
        onConfirm={() => endSession((client) => client.call("user.logoutAll", {}))}
      >
        {isGuest ? t("sessions.allGuestText") : t("sessions.allText")}
      </ConfirmDialog>
    </Section>
  );
}

function SessionRow({ session }: { session: Session }) {
  const { t } = useTranslation("settings");
  const name = useDeviceName()(session.userAgent);
  const call = useCall();
  const { busy, error, run } = useAction();
  const { id, address, userAgent, refreshedAt, current } = session;
  const seen = t("sessions.lastUsed", { time: formatTime(refreshedAt, "dateTime") });
  return (
    <ListRow
      leading={<RowIcon icon={parseUserAgent(userAgent).isPhone ? Smartphone : Monitor} />}
      title={name}
      subtitle={<span className="whitespace-normal">{address === null ? seen : `${seen} · ${address}`}</span>}
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
    >
      <ErrorNote text={error} />
    </ListRow>
  );
}
