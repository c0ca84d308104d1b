import type { Group, Invite } from "@fanfare/contract";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Copy, Link2, Trash2 } from "lucide-react";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { useInvites } from "../../data/group-settings.ts";
import { useLockdown } from "../../data/review-queues.ts";
import { EmailInvites } from "./email-invites.tsx";
import { CopyField } from "../../shared/copy-field.tsx";
import { copyAndSay } from "../../shared/copy.ts";
import { errorText, useAction } from "../../shared/use-action.ts";
import { Dialog, type DialogProps } from "../../ui/dialog.tsx";
import { ErrorNote, Loaded, SkeletonRows } from "../../ui/feedback.tsx";
import { useFormats, dotted } from "../../shared/formats.ts";
import { formatTime } from "../../shared/times.ts";
import { Form, useForm } from "../../ui/form.tsx";
import { NumberSelect } from "../../ui/select.tsx";
import { useUser } from "../../data/people.ts";
import { IconButton } from "../../ui/button.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { userName } from "../../people/members/user-name.tsx";
import { invitePath } from "../../routes.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Lifetime of the link that is created automatically. */
const DEFAULT_MAX_AGE_MS = 7 * DAY_MS;

interface CurrentInvite {
  invite: Invite | null;
  error: unknown;
  retry: () => void;
  choose: (invite: Invite) => void;
}

interface InviteDialogProps extends Pick<DialogProps, "finalFocus"> {
  group: Group;
  onClose: () => void;
}

/** An invite link to copy, a form for further links, and the active ones. */
export function InviteDialog({ group, onClose, finalFocus }: InviteDialogProps) {
  const { t } = useTranslation("invites");
  const { invite, error, retry, choose } = useCurrentInvite(group.id);
  const isLocked = useLockdown(group) !== null;
  const expiresAt = invite?.expiresAt ?? null;
  const time = expiresAt === null ? null : formatTime(expiresAt, "dateTime");
  const hint = time === null ? t("linkHint") : t("linkHintUntil", { time });
  const askHint = time === null ? t("linkAskHint") : t("linkAskHintUntil", { time });
  return (
    <Dialog
      onClose={onClose}
      title={t("inviteOthers", { group: group.name })}
      description={group.needsApproval || isLocked ? askHint : hint}
      {...(finalFocus && { finalFocus })}
    >
      <CopyField label={t("link")} value={invite === null ? "" : inviteLink(invite.code)} />
      {error !== null && <ErrorNote text={errorText(error)} onRetry={retry} />}
      <EmailInvites groupId={group.id} />
      <details>
        <summary className="min-h-6 cursor-pointer text-sm font-medium text-muted hover:text-text">
          {t("more")}
        </summary>
        <div className="mt-3 grid gap-5">
          <NewInviteForm groupId={group.id} onMade={choose} />
          <section className="grid gap-2">
            <h3 className="text-sm font-medium">{t("activeLinks")}</h3>
            <InviteList groupId={group.id} />
          </section>
        </div>
      </details>
    </Dialog>
  );
}

/** The user's own invite if it has no use limit and doesn't expire soon; otherwise a new one. */
function useCurrentInvite(groupId: string): CurrentInvite {
  const call = useCall();
  const me = useMe();
  const { data: invites, error: loadError, refetch } = useInvites(groupId);
  const [chosen, setChosen] = useState<Invite | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const isMaking = useRef(false);
  const isRevoked = chosen !== null && invites?.every(({ code }) => code !== chosen.code) === true;
  const invite = (isRevoked ? null : chosen) ?? invites?.findLast((each) => isShareable(each, me.id)) ?? null;
  const needsOne = invites !== undefined && invite === null && failure === null;
  useEffect(() => {
    if (!needsOne || isMaking.current) return;
    isMaking.current = true;
    call("invite.create", { groupId, maxAgeMs: DEFAULT_MAX_AGE_MS })
      .then(({ invite: created }) => setChosen(created), setFailure)
      .finally(() => (isMaking.current = false));
  }, [needsOne, call, groupId]);
  return {
    invite,
    error: loadError ?? failure,
    retry: () => {
      setFailure(null);
      if (invites === undefined) void refetch();
    },
    choose: setChosen,
  };
}

function isShareable({ createdBy, maxUses, expiresAt }: Invite, ownId: string): boolean {
  const isLasting = expiresAt === null || Date.parse(expiresAt) > Date.now() + DAY_MS;
  return createdBy === ownId && maxUses === null && isLasting;
}

interface NewInviteFormProps {
  groupId: string;
  onMade?: (invite: Invite) => void;
}

const MINUTE_MS = 60_000;
const NO_LIMIT = 0;
const AGES_MS = [30 * MINUTE_MS, 60 * MINUTE_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS, NO_LIMIT];
const USES = [NO_LIMIT, 1, 5, 10, 25, 100];

export function NewInviteForm({ groupId, onMade }: NewInviteFormProps) {
  const { t } = useTranslation("invites");
  const { duration } = useFormats();
  const call = useCall();
  const form = useForm({
    initial: { maxAgeMs: 7 * DAY_MS, maxUses: NO_LIMIT },
    async submit({ maxAgeMs, maxUses }) {
      const { invite } = await call("invite.create", {
        groupId,
        ...(maxAgeMs !== NO_LIMIT && { maxAgeMs }),
        ...(maxUses !== NO_LIMIT && { maxUses }),
      });
      onMade?.(invite);
    },
  });
  return (
    <Form form={form} action={t("new")}>
      <div className="grid gap-4 md:grid-cols-2">
        <NumberSelect
          label={t("expires")}
          choices={AGES_MS}
          textOf={(ms) => (ms === NO_LIMIT ? t("expiresNever") : t("expiresAfter", { time: duration(ms) }))}
          {...form.field("maxAgeMs")}
        />
        <NumberSelect
          label={t("uses")}
          choices={USES}
          textOf={(count) => (count === NO_LIMIT ? t("usesNoLimit") : t("usesLimit", { count }))}
          {...form.field("maxUses")}
        />
      </div>
    </Form>
  );
}

export function InviteList({ groupId }: { groupId: string }) {
  const { t } = useTranslation("invites");
  return (
    <Loaded of={useInvites(groupId)} placeholder={<SkeletonRows count={2} />}>
      {(invites) =>
        invites.length === 0 ? (
          <p className="text-sm text-muted">{t("noActiveLinks")}</p>
        ) : (
          <ul className="grid gap-px">
            {invites.toReversed().map((invite) => (
              <InviteRow key={invite.code} invite={invite} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function InviteRow({ invite }: { invite: Invite }) {
  const { t } = useTranslation("invites");
  const maker = useUser(invite.createdBy);
  const call = useCall();
  const { busy, error, run } = useAction();
  const { code, groupId, uses, maxUses, expiresAt, email } = invite;
  const facts = [
    t("by", { name: userName(maker) }),
    maxUses === null ? t("used", { count: uses }) : t("usedOf", { count: uses, max: maxUses }),
    expiresAt === null ? t("neverExpires") : t("expiresAt", { time: formatTime(expiresAt, "dateTime") }),
  ];
  const copy = () => copyAndSay(inviteLink(code), t("common:linkCopied"));
  return (
    <ListRow
      leading={<Link2 size={18} aria-hidden className="text-muted" />}
      title={email ?? <code className="text-sm">{code}</code>}
      subtitle={<span className="whitespace-normal">{dotted(facts)}</span>}
      trailing={
        <>
          <IconButton
            icon={Copy}
            size="sm"
            label={t("copyLink", { code: email ?? code })}
            onClick={() => void copy()}
          />
          <IconButton
            icon={Trash2}
            size="sm"
            variant="danger"
            label={t("revoke", { code: email ?? code })}
            disabled={busy}
            onClick={() => void run(() => call("invite.revoke", { groupId, code }))}
          />
        </>
      }
    >
      <ErrorNote text={error} />
    </ListRow>
  );
}

function inviteLink(code: string): string {
  return new URL(invitePath(code), location.origin).href;
}
