import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import type { Language } from "../../i18n/language.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useForm } from "../../ui/use-form.ts";
import { TextField } from "../../ui/text-field.tsx";
import { inviteCodeOf } from "../groups/invite-code.ts";
import { ACCOUNT_ERRORS, AccountFields, accountOf } from "./account-fields.tsx";
import { useWaysIn } from "./server-meta.ts";

/** Makes an account of a guest, who keeps everything. */
export function ClaimDialog({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useTranslation("session");
  const call = useCall();
  const needsInvite = useWaysIn()?.needsInvite === true;
  const form = useForm({
    initial: { username: "", password: "", email: "", inviteLink: "" },
    async submit({ inviteLink, ...values }) {
      const inviteCode = inviteCodeOf(inviteLink);
      await call("user.claimGuest", {
        ...accountOf(values),
        locale: i18n.language as Language,
        ...(needsInvite && inviteCode !== null && { inviteCode }),
      });
      showToast({ text: t("claim.done"), tone: "good" });
      onClose();
    },
    fieldOfError: { ...ACCOUNT_ERRORS, INVITE_REQUIRED: "inviteLink", INVITE_NOT_FOUND: "inviteLink" },
  });
  return (
    <Dialog open onClose={onClose} title={t("claim.title")} description={t("claim.text")}>
      <Form form={form} action={t("claim.action")} wide>
        <AccountFields form={form} />
        {needsInvite && (
          <TextField
            label={t("claim.inviteLink")}
            hint={t("claim.inviteHint")}
            required
            autoComplete="off"
            {...form.field("inviteLink")}
          />
        )}
      </Form>
    </Dialog>
  );
}
