import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { useAction } from "../../../shared/use-action.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Form } from "../../../ui/form.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { PasswordField } from "../../session/password-field.tsx";
import { useServerMeta } from "../../session/server-meta.ts";
import { Section } from "../section.tsx";

/** The address, whether it is confirmed, and another one. */
export function EmailSection() {
  const { t } = useTranslation("user-settings");
  const { email, emailVerified, hasPassword } = useMe();
  const sendsMail = useServerMeta()?.sendsMail;
  const call = useCall();
  const { busy, error, run } = useAction();
  const [isChanging, setChanging] = useState(false);
  const sendAgain = async () => {
    if (await run(() => call("user.requestEmailVerification", {}))) {
      showToast({ text: t("account.linkSent", { email }), tone: "good" });
    }
  };
  return (
    <Section title={t("account.email")} text={t("account.emailText")}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 font-medium wrap-anywhere">{email ?? t("account.noEmail")}</p>
        {email !== null && (
          <Badge tone={emailVerified ? "good" : "warn"}>
            {emailVerified ? t("account.verified") : t("account.notVerified")}
          </Badge>
        )}
      </div>
      {sendsMail === false ? (
        <p className="text-sm text-muted">{t("account.noMail")}</p>
      ) : (
        <>
          {!isChanging && (
            <div className="flex flex-wrap gap-2">
              {hasPassword && (
                <Button onClick={() => setChanging(true)}>
                  {email === null ? t("account.addEmail") : t("account.changeEmail")}
                </Button>
              )}
              {email !== null && !emailVerified && (
                <Button variant="ghost" busy={busy} onClick={() => void sendAgain()}>
                  {t("account.sendAgain")}
                </Button>
              )}
            </div>
          )}
          <ErrorNote text={error} />
          {isChanging && <EmailForm onDone={() => setChanging(false)} />}
        </>
      )}
    </Section>
  );
}

function EmailForm({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation("user-settings");
  const call = useCall();
  const form = useForm({
    initial: { email: "", password: "" },
    async submit({ email, password }) {
      const address = email.trim();
      await call("user.changeEmail", { email: address, password });
      showToast({ text: t("account.linkSent", { email: address }), tone: "good" });
      onDone();
    },
    fieldOfError: { EMAIL_TAKEN: "email", WRONG_CREDENTIALS: "password" },
  });
  return (
    <Form
      form={form}
      action={t("account.sendLink")}
      more={
        <Button variant="ghost" onClick={onDone}>
          {t("ui:cancel")}
        </Button>
      }
    >
      <TextField
        label={t("account.newEmail")}
        type="email"
        required
        autoFocus
        hint={t("account.newEmailHint")}
        maxLength={LIMITS.emailMaxChars}
        autoComplete="email"
        {...form.field("email")}
      />
      <PasswordField
        label={t("account.currentPassword")}
        autoComplete="current-password"
        {...form.field("password")}
      />
    </Form>
  );
}
