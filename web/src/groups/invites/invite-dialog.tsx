import type { Group, Invite } from "@fanfare/contract";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { useInvites } from "../../data/moderation.ts";
import { CopyField } from "../../shared/copy-field.tsx";
import { errorText } from "../../shared/use-action.ts";
import { Dialog, type DialogProps } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { inviteLink } from "./invite-link.ts";
import { InviteList } from "./invite-list.tsx";
import { NewInviteForm } from "./new-invite-form.tsx";

const DAY_MS = 24 * 60 * 60_000;

/** How long the link is good that is made without asking. */
const DEFAULT_MAX_AGE_MS = 7 * DAY_MS;

interface CurrentInvite {
  /** Null until there is one. */
  invite: Invite | null;
  error: unknown;
  retry: () => void;
  /** Shows another one. */
  choose: (invite: Invite) => void;
}

interface InviteDialogProps extends Pick<DialogProps, "finalFocus"> {
  group: Group;
  onClose: () => void;
}

/** A link into the group to be copied, how to make another one, and those that are good now. */
export function InviteDialog({ group, onClose, finalFocus }: InviteDialogProps) {
  const { t } = useTranslation("invites");
  const { invite, error, retry, choose } = useCurrentInvite(group.id);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("inviteOthers", { group: group.name })}
      description={t("whoOpensJoins")}
      {...(finalFocus && { finalFocus })}
    >
      <CopyField label={t("link")} value={invite === null ? "" : inviteLink(invite.code)} />
      {error !== null && <ErrorNote text={errorText(error)} onRetry={retry} />}
      <details>
        <summary className="min-h-6 cursor-pointer text-sm font-medium text-muted hover:text-text">
          {t("more")}
        </summary>
        <div className="mt-3 grid gap-5">
          <NewInviteForm groupId={group.id} onMade={choose} />
          <section className="grid gap-2">
            <h3 className="text-sm font-medium">{t("goodNow")}</h3>
            <InviteList groupId={group.id} />
          </section>
        </div>
      </details>
    </Dialog>
  );
}

/** The user's own invite if it has no use limit and does not expire soon, otherwise a new one. */
function useCurrentInvite(groupId: string): CurrentInvite {
  const call = useCall();
  const me = useMe();
  const { data: invites, error: loadError, refetch } = useInvites(groupId);
  const [chosen, setChosen] = useState<Invite | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const isMaking = useRef(false);
  const isRevoked = chosen !== null && invites?.every(({ code }) => code !== chosen.code) === true;
  const invite = (isRevoked ? null : chosen) ?? invites?.findLast((held) => isShareable(held, me.id)) ?? null;
  const needsOne = invites !== undefined && invite === null && failure === null;
  useEffect(() => {
    if (!needsOne || isMaking.current) return;
    isMaking.current = true;
    call("invite.create", { groupId, maxAgeMs: DEFAULT_MAX_AGE_MS })
      .then(({ invite: made }) => setChosen(made), setFailure)
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
