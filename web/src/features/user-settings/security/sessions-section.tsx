import { LogOut } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSessions } from "../../../data/account.ts";
import { useMe } from "../../../data/me.ts";
import { errorText } from "../../../shared/error-text.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { leaveBy } from "../../session/session-store.ts";
import { Section } from "../section.tsx";
import { SessionRow } from "./session-row.tsx";

/** Where somebody is logged in, and how to end that. */
export function SessionsSection() {
  const { t } = useTranslation("user-settings");
  const { data: sessions, error, refetch } = useSessions();
  const isGuest = useMe().kind === "guest";
  const [asks, setAsks] = useState(false);
  return (
    <Section title={t("sessions.title")} text={t("sessions.text")}>
      {sessions === undefined ? (
        error === null ? (
          <SkeletonRows count={3} withAvatar />
        ) : (
          <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />
        )
      ) : (
        <ul className="grid gap-px">
          {sessions
            .toSorted((a, b) => Number(b.current) - Number(a.current))
            .map((session) => (
              <li key={session.id}>
                <SessionRow session={session} />
              </li>
            ))}
        </ul>
      )}
      <div>
        <Button variant="danger-ghost" icon={<LogOut size={16} aria-hidden />} onClick={() => setAsks(true)}>
          {t("sessions.all")}
        </Button>
      </div>
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={t("sessions.all")}
        action={t("sessions.all")}
        danger
        onConfirm={() => leaveBy((client) => client.call("user.logoutAll", {}))}
      >
        {isGuest ? t("sessions.allGuestText") : t("sessions.allText")}
      </ConfirmDialog>
    </Section>
  );
}
