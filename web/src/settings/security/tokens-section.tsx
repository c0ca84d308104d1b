import type { HeldToken } from "@fanfare/contract";
import { Bot, Webhook } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useHeldTokens } from "../../data/me.ts";
import { useCall } from "../../data/call.ts";
import { formatTime } from "../../shared/times.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { ListRow, RowIcon } from "../../ui/list-row.tsx";
import { Section } from "../section.tsx";
import { PagedRows } from "../../shared/paged-list.tsx";

/** The bot and webhook tokens that act with the user's permissions. Hidden if there are none. */
export function TokensSection() {
  const { t } = useTranslation("settings");
  const pages = useHeldTokens();
  const { data: tokens, hasNextPage } = pages;
  const call = useCall();
  const [revoking, setRevoking] = useState<HeldToken | null>(null);
  if (tokens?.length === 0 && !hasNextPage) return null;
  return (
    <Section title={t("tokens.title")} text={t("tokens.text")}>
      <PagedRows pages={pages}>
        {(token) => (
          <TokenRow key={`${token.kind} ${token.id}`} token={token} onRevoke={() => setRevoking(token)} />
        )}
      </PagedRows>
      <ConfirmDialog
        open={revoking !== null}
        onClose={() => setRevoking(null)}
        title={t("tokens.revokeOf", { name: revoking?.name })}
        action={t("tokens.revoke")}
        danger
        onConfirm={() => call("bot.revokeToken", { kind: revoking!.kind, id: revoking!.id })}
      >
        {revoking?.kind === "webhook"
          ? t("tokens.revokeWebhookText", { name: revoking.name })
          : t("tokens.revokeBotText", { name: revoking?.name })}
      </ConfirmDialog>
    </Section>
  );
}

function TokenRow({
  token: { kind, name, createdAt },
  onRevoke,
}: {
  token: HeldToken;
  onRevoke: () => void;
}) {
  const { t } = useTranslation("settings");
  const time = formatTime(createdAt, "dateTime");
  return (
    <ListRow
      leading={<RowIcon icon={kind === "bot" ? Bot : Webhook} />}
      title={name}
      subtitle={kind === "bot" ? t("tokens.bot", { time }) : t("tokens.webhook", { time })}
      trailing={
        <Button size="sm" aria-label={t("tokens.revokeOf", { name })} onClick={onRevoke}>
          {t("tokens.revoke")}
        </Button>
      }
    />
  );
}
