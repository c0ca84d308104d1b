import type { Invite } from "@fanfare/contract";
import { Copy, Link2, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useInvites } from "../../data/moderation.ts";
import { useUser } from "../../data/people.ts";
import { copyText } from "../../shared/copy-field.tsx";
import { errorText, useAction } from "../../shared/use-action.ts";
import { useFormats } from "../../shared/formats.ts";
import { ErrorNote, SkeletonRows } from "../../ui/feedback.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { showToast } from "../../ui/toast.tsx";
import { userName } from "../group-settings/user-name.ts";
import { inviteLink } from "./invite-link.ts";

/** The invites of a group, the newest first, to copy and to take back. */
export function InviteList({ groupId }: { groupId: string }) {
  const { t } = useTranslation("invites");
  const { data: invites, error, refetch } = useInvites(groupId);
  if (invites === undefined) {
    return error === null ? (
      <SkeletonRows count={2} />
    ) : (
      <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />
    );
  }
  if (invites.length === 0) return <p className="text-sm text-muted">{t("noInvites")}</p>;
  return (
    <ul className="grid gap-px">
      {invites.toReversed().map((invite) => (
        <li key={invite.code}>
          <Row invite={invite} />
        </li>
      ))}
    </ul>
  );
}

function Row({ invite }: { invite: Invite }) {
  const { t } = useTranslation("invites");
  const { dateTime } = useFormats();
  const maker = useUser(invite.createdBy);
  const call = useCall();
  const { busy, error, run } = useAction();
  const { code, groupId, uses, maxUses, expiresAt } = invite;
  const facts = [
    t("by", { name: userName(maker) }),
    maxUses === null ? t("used", { count: uses }) : t("usedOf", { count: uses, max: maxUses }),
    expiresAt === null ? t("noEnd") : t("goodUntil", { time: dateTime(Date.parse(expiresAt)) }),
  ];
  const copy = async () => {
    if (await copyText(inviteLink(code))) showToast({ text: t("linkCopied"), tone: "good" });
    else showToast({ text: inviteLink(code) });
  };
  return (
    <>
      <ListRow
        leading={<Link2 size={18} aria-hidden className="text-muted" />}
        title={<code className="text-sm">{code}</code>}
        subtitle={<span className="whitespace-normal">{facts.join(" · ")}</span>}
        trailing={
          <>
            <IconButton icon={Copy} size="sm" label={t("copyLink", { code })} onClick={() => void copy()} />
            <IconButton
              icon={Trash2}
              size="sm"
              variant="danger"
              label={t("revoke", { code })}
              disabled={busy}
              onClick={() => void run(() => call("invite.revoke", { groupId, code }))}
            />
          </>
        }
      />
      <ErrorNote text={error} />
    </>
  );
}
