import { LIMITS } from "@fanfare/contract/limits";
import { MailCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { loginPath } from "../../routes.ts";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";
import { anonymous } from "./anonymous.ts";
import { ENTRANCE_LINK, EntranceTitle } from "./entrance-title.tsx";
import { Entrance } from "./entrance.tsx";
import { NewPasswordForm } from "./new-password-form.tsx";
import { Outcome } from "./outcome.tsx";
import { useServerMeta } from "./server-meta.ts";
import { useFragmentToken } from "./use-fragment-token.ts";

/** For who has forgotten the password: asks for the mail; with its link, takes a new password. */
export function ResetPasswordPage() {
  const { t } = useTranslation("session");
  const [token, forget] = useFragmentToken();
  return (
    <Entrance>
      {token === null ? (
        <RequestResetForm />
      ) : (
        <NewPasswordForm key={token} token={token} onAskAgain={forget} />
      )}
      <p className="text-center text-sm">
        <Link href={loginPath()} className={ENTRANCE_LINK}>
          {t("toLogin")}
        </Link>
      </p>
    </Entrance>
  );
}

/** Requests the link by mail. The answer does not reveal whether the account exists. */
function RequestResetForm() {
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
