import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import type { Language } from "../../i18n/language.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useForm } from "../../ui/use-form.ts";
import { ACCOUNT_ERRORS, AccountFields, accountOf } from "./account-fields.tsx";

/** Makes an account of a guest, who keeps everything. */
export function ClaimDialog({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useTranslation("session");
  const call = useCall();
  const form = useForm({
    initial: { username: "", password: "", email: "" },
    async submit(values) {
      await call("user.claimGuest", { ...accountOf(values), locale: i18n.language as Language });
      showToast({ text: t("claim.done"), tone: "good" });
      onClose();
    },
    fieldOfError: ACCOUNT_ERRORS,
  });
  return (
    <Dialog open onClose={onClose} title={t("claim.title")} description={t("claim.text")}>
      <Form form={form} action={t("claim.action")} wide>
        <AccountFields form={form} />
      </Form>
    </Dialog>
  );
}
