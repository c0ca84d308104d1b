import type { Session, HeldToken } from "@fanfare/contract";
import { LogOut, Monitor, Smartphone, Bot, Webhook } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMe, useSessions, useHeldTokens } from "../../data/me.ts";
import { useCall } from "../../data/call.ts";
import { useAction } from "../../shared/use-action.ts";
import { formatTime } from "../../shared/times.ts";
import { Badge } from "../../ui/display.tsx";
import { ListRow, RowIcon } from "../../ui/list-row.tsx";
import { Button } from "../../ui/button.tsx";
import { openConfirm } from "../../ui/open-dialog.tsx";
import { ErrorNote, Loaded, SkeletonRows } from "../../ui/feedback.tsx";
import { endSession } from "../../session/session-store.ts";
import { Section } from "../../ui/settings-layout.tsx";
import { parseUserAgent, useDeviceName } from "./device.ts";
import { PagedRows } from "../../shared/paged-list.tsx";

export function SessionsSection() {
  const { t } = useTranslation("settings");
  const isGuest = useMe().kind === "guest";
  const endAll = () =>
    openConfirm({
      title: t("sessions.all"),
      children: isGuest ? t("sessions.allGuestText") : t("sessions.allText"),
      action: t("sessions.all"),
      danger: true,
      onConfirm: () => endSession((client) => client.call("user.logoutAll", {})),
    });
  return (
    <Section title={t("sessions.title")} text={t("sessions.text")}>
      <Loaded of={useSessions()} placeholder={<SkeletonRows count={3} withAvatar />}>
        {(sessions) => (
          <ul className="grid gap-px">
            {sessions
              .toSorted((a, b) => Number(b.current) - Number(a.current))
              .map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
          </ul>
        )}
      </Loaded>
      <div>
        <Button variant="danger-ghost" icon={LogOut} onClick={endAll}>
          {t("sessions.all")}
        </Button>
      </div>
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

/** The bot and webhook tokens that act with the user's permissions. Hidden if there are none. */
export function TokensSection() {
  const { t } = useTranslation("settings");
  const pages = useHeldTokens();
  const { data: tokens, hasNextPage } = pages;
  if (tokens?.length === 0 && !hasNextPage) return null;
  return (
    <Section title={t("tokens.title")} text={t("tokens.text")}>
      <PagedRows pages={pages}>
        {(token) => <TokenRow key={`${token.kind} ${token.id}`} token={token} />}
      </PagedRows>
    </Section>
  );
}

function TokenRow({ token: { kind, id, name, createdAt } }: { token: HeldToken }) {
  const { t } = useTranslation("settings");
  const call = useCall();
  const revoke = () =>
    openConfirm({
      title: t("tokens.revokeOf", { name }),
      children:
        kind === "bot" ? t("tokens.revokeBotText", { name }) : t("tokens.revokeWebhookText", { name }),
      action: t("tokens.revoke"),
      danger: true,
      onConfirm: () => call("bot.revokeToken", { kind, id }),
    });
  const time = formatTime(createdAt, "dateTime");
  return (
    <ListRow
      leading={<RowIcon icon={kind === "bot" ? Bot : Webhook} />}
      title={name}
      subtitle={kind === "bot" ? t("tokens.bot", { time }) : t("tokens.webhook", { time })}
      trailing={
        <Button size="sm" aria-label={t("tokens.revokeOf", { name })} onClick={revoke}>
          {t("tokens.revoke")}
        </Button>
      }
    />
  );
}
