import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { mailLanguage } from "../i18n/language.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useForm, TextField } from "../ui/form.tsx";
import { inviteCodeOf } from "../groups/add-group.tsx";
import { ACCOUNT_ERRORS, AccountFields, accountOf } from "./account-fields.tsx";
import { useLoginOptions } from "./server-meta.ts";

/** Turns a guest into an account that keeps everything. */
export function ClaimDialog({ onClose }: { onClose: () => void }) {
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
