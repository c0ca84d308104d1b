import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { CopyField } from "../../shared/copy-field.tsx";
import { errorText } from "../../shared/error-text.ts";
import { Dialog, type DialogProps } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { InviteList } from "./invite-list.tsx";
import { NewInviteForm } from "./new-invite-form.tsx";
import { inviteLink } from "./invite-link.ts";
import { useCurrentInvite } from "./use-current-invite.ts";

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
