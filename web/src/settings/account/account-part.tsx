import { useState } from "react";
import { useTranslation } from "react-i18next";
import { LIMITS } from "@fanfare/contract/limits";
import { useMe } from "../../data/me.ts";
import { Button } from "../../ui/button.tsx";
import { TextField, Form, useForm } from "../../ui/form.tsx";
import { openClaimDialog } from "../../session/claim-banner.tsx";
import { Section } from "../../ui/settings-layout.tsx";
import { useCall } from "../../data/call.ts";
import { useAction } from "../../shared/use-action.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ErrorNote, showToast } from "../../ui/feedback.tsx";
import { EmailField, PasswordField } from "../../session/account-fields.tsx";
import { Badge } from "../../ui/display.tsx";
import { useServerMeta } from "../../session/server-meta.ts";
import { CurrentPassword } from "../security/confirmation.tsx";

export function AccountPart() {
  const { t } = useTranslation("settings");
  const { username } = useMe();
  if (username === null) {
    return (
      <Section title={t("account.guest")} text={t("account.guestText")}>
        <div>
          <Button variant="primary" onClick={openClaimDialog}>
            {t("session:newAccount")}
          </Button>
        </div>
      </Section>
    );
  }
  return (
    <>
      <TextField label={t("session:username")} hint={t("account.usernameHint")} value={username} readOnly />
      <EmailSection />
      <PasswordSection />
    </>
  );
}

/** Accounts that only log in with a provider set a password by email. */
function PasswordSection() {
  const { t } = useTranslation("settings");
  const { hasPassword, passwordInDirectory } = useMe();
  if (passwordInDirectory === true)
    return <Section title={t("session:password")} text={t("shared:error.PASSWORD_IN_DIRECTORY")} />;
  return (
    <Section
      title={t("session:password")}
      text={hasPassword ? t("account.passwordText") : t("account.noPasswordText")}
    >
      {hasPassword ? <ChangePassword /> : <FirstPassword />}
    </Section>
  );
}

/** Clears the fields on success. */
function ChangePassword() {
  const [version, setVersion] = useState(0);
  return <ChangePasswordForm key={version} onDone={() => setVersion(version + 1)} />;
}

function ChangePasswordForm({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation("settings");
  const call = useCall();
  const form = useForm({
    initial: { oldPassword: "", newPassword: "", revokeTokens: false },
    submit: (values) => call("user.changePassword", values),
    saved: t("account.passwordChanged"),
    onDone,
    fieldOfError: { WRONG_CREDENTIALS: "oldPassword", WEAK_PASSWORD: "newPassword" },
  });
  return (
    <Form
      form={form}
      action={t("account.changePassword")}
      disabled={form.values.oldPassword === "" || form.values.newPassword === ""}
    >
      <CurrentPassword {...form.field("oldPassword")} />
      <PasswordField
        label={t("session:reset.newPassword")}
        hint={t("session:passwordHint")}
        minLength={LIMITS.passwordMinChars}
        autoComplete="new-password"
        {...form.field("newPassword")}
      />
      <Checkbox
        label={t("account.revokeTokens")}
        hint={t("account.revokeTokensText")}
        checked={form.values.revokeTokens}
        onChange={(checked) => form.set("revokeTokens", checked)}
      />
    </Form>
  );
}

function FirstPassword() {
  const { t } = useTranslation("settings");
  const { email } = useMe();
  const call = useCall();
  const { busy, error, run } = useAction();
  if (email === null) return null;
  const send = async () => {
    if (await run(() => call("user.requestPasswordReset", { email }))) {
      showToast({ text: t("account.linkSent", { email }), tone: "good" });
    }
  };
  return (
    <div className="grid justify-items-start gap-3">
      <Button busy={busy} onClick={() => void send()}>
        {t("session:reset.send")}
      </Button>
      <ErrorNote text={error} />
    </div>
  );
}

function EmailSection() {
  const { t } = useTranslation("settings");
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
  const { t } = useTranslation("settings");
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
      action={t("session:reset.send")}
      more={
        <Button variant="ghost" onClick={onDone}>
          {t("ui:cancel")}
        </Button>
      }
    >
      <EmailField
        label={t("account.newEmail")}
        required
        autoFocus
        hint={t("account.newEmailHint")}
        {...form.field("email")}
      />
      <CurrentPassword {...form.field("password")} />
    </Form>
  );
}
