import { LIMITS } from "@fanfare/contract/limits";
import { MailCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";
import { anonymous } from "./anonymous.ts";
import { EntranceTitle } from "./entrance-title.tsx";
import { Outcome } from "./outcome.tsx";
import { useServerMeta } from "./server-meta.ts";

/** Has the link mailed. Whether there is such an account is told to nobody. */
export function RequestResetForm() {
  const { t } = useTranslation("session");
  const sendsMail = useServerMeta()?.sendsMail;
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm({
    initial: { email: "" },
    async submit({ email }) {
      const address = email.trim();
      await anonymous.call("user.requestPasswordReset", { email: address });
      setSentTo(address);
    },
  });
  if (sentTo !== null) {
    return <Outcome icon={MailCheck} title={t("reset.sent")} text={t("reset.sentText", { email: sentTo })} />;
  }
  if (sendsMail === false) {
    return <EntranceTitle title={t("reset.title")} text={t("reset.noMail")} />;
  }
  return (
    <>
      <EntranceTitle title={t("reset.title")} text={t("reset.text")} />
      <Form form={form} action={t("reset.send")} wide>
        <TextField
          label={t("reset.email")}
          type="email"
          name="email"
          required
          autoFocus
          maxLength={LIMITS.emailMaxChars}
          autoComplete="email"
          {...form.field("email")}
        />
      </Form>
    </>
  );
}
