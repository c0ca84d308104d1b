import { useTranslation } from "react-i18next";
import { UserRoundCheck, X } from "lucide-react";
import { create } from "zustand";
import { useCall } from "../data/call.ts";
import { mailLanguage } from "../i18n/language.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { openDialog } from "../ui/open-dialog.tsx";
import { useForm, TextField } from "../ui/form.tsx";
import { inviteCodeOf } from "../groups/add-group.tsx";
import { useMe } from "../data/me.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ACCOUNT_ERRORS, AccountFields, accountOf } from "./account-fields.tsx";
import { useLoginOptions } from "./server-meta.ts";

/** Turns a guest into an account that keeps everything. */
export function openClaimDialog(): void {
  openDialog((onClose) => <ClaimDialog onClose={onClose} />);
}

function ClaimDialog({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useTranslation("session");
  const call = useCall();
  const needsInvite = useLoginOptions()?.needsInvite === true;
  const form = useForm({
    initial: { username: "", password: "", email: "", inviteLink: "" },
    async submit({ inviteLink, ...values }) {
      const inviteCode = inviteCodeOf(inviteLink);
      await call("user.claimGuest", {
        ...accountOf(values),
        locale: mailLanguage(i18n.language),
        ...(needsInvite && inviteCode !== null && { inviteCode }),
      });
    },
    saved: t("claim.done"),
    onDone: onClose,
    fieldOfError: { ...ACCOUNT_ERRORS, INVITE_REQUIRED: "inviteLink", INVITE_NOT_FOUND: "inviteLink" },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t("claim.title")}
      description={t("claim.text")}
      form={form}
      action={t("newAccount")}
      wide
    >
      <AccountFields form={form} />
      {needsInvite && (
        <TextField
          label={t("groups:join.link")}
          hint={t("claim.inviteHint")}
          required
          {...form.field("inviteLink")}
        />
      )}
    </FormDialog>
  );
}

/** Dismissed until the page is reloaded. */
const useDismissed = create(() => ({ isDismissed: false }));

export function ClaimBanner() {
  const { t } = useTranslation("session");
  const isGuest = useMe().kind === "guest";
  // Shown before this is known, because a banner that appears later would move the page.
  const canClaim = useLoginOptions()?.register !== false;
  const isDismissed = useDismissed((state) => state.isDismissed);
  if (!isGuest || !canClaim || isDismissed) return null;
  return (
    <aside
      aria-label={t("claim.title")}
      className="flex shrink-0 items-center justify-center gap-3 bg-accent-soft py-1 pe-2 ps-4 text-sm text-accent-text"
    >
      <UserRoundCheck size={16} aria-hidden className="shrink-0 max-md:hidden" />
      <p className="max-md:flex-1">{t("claim.banner")}</p>
      <span className="flex shrink-0 gap-1">
        <Button size="sm" onClick={openClaimDialog}>
          {t("newAccount")}
        </Button>
        <IconButton
          icon={X}
          label={t("claim.dismiss")}
          size="sm"
          tooltipSide="left"
          onClick={() => useDismissed.setState({ isDismissed: true })}
        />
      </span>
    </aside>
  );
}
