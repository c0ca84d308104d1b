import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { useAction } from "../../../shared/use-action.ts";
import { Button } from "../../../ui/button.tsx";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Form } from "../../../ui/form.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { PasswordField } from "../../session/password-field.tsx";
import { Section } from "../section.tsx";

/** To change the password; who logs in by a provider only has one set by mail. */
export function PasswordSection() {
  const { t } = useTranslation("user-settings");
  const { hasPassword } = useMe();
  return (
    <Section
      title={t("account.password")}
      text={hasPassword ? t("account.passwordText") : t("account.noPasswordText")}
    >
      {hasPassword ? <ChangePassword /> : <FirstPassword />}
    </Section>
  );
}

/** The fields are empty again afterwards. */
function ChangePassword() {
  const [version, setVersion] = useState(0);
  return <ChangePasswordForm key={version} onDone={() => setVersion(version + 1)} />;
}

function ChangePasswordForm({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation("user-settings");
  const call = useCall();
  const form = useForm({
    initial: { oldPassword: "", newPassword: "", revokeTokens: false },
    async submit(values) {
      await call("user.changePassword", values);
      showToast({ text: t("account.passwordChanged"), tone: "good" });
      onDone();
    },
    fieldOfError: { WRONG_CREDENTIALS: "oldPassword", WEAK_PASSWORD: "newPassword" },
  });
  return (
    <Form
      form={form}
      action={t("account.changePassword")}
      disabled={form.values.oldPassword === "" || form.values.newPassword === ""}
    >
      <PasswordField
        label={t("account.currentPassword")}
        autoComplete="current-password"
        {...form.field("oldPassword")}
      />
      <PasswordField
        label={t("account.newPassword")}
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
  const { t } = useTranslation("user-settings");
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
        {t("account.setPassword")}
      </Button>
      <ErrorNote text={error} />
    </div>
  );
}
