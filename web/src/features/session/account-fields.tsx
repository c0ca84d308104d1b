import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { TextField } from "../../ui/text-field.tsx";
import type { FormState } from "../../ui/use-form.ts";
import { PasswordField } from "./password-field.tsx";
import { useServerMeta } from "./server-meta.ts";

/** Of a new account; `email` may be empty. */
export interface NewAccount extends Record<string, unknown> {
  username: string;
  password: string;
  email: string;
}

const USERNAME = new RegExp(`^[A-Za-z0-9_.-]{${LIMITS.usernameMinChars},${LIMITS.usernameMaxChars}}$`);

/** What every account has. An e-mail address is asked for where the server can do something with it. */
export function AccountFields({ form }: { form: Pick<FormState<NewAccount>, "field"> }) {
  const { t } = useTranslation("session");
  const { sendsMail = false, mailDomains = [] } = useServerMeta() ?? {};
  const mustHaveEmail = mailDomains.length > 0;
  return (
    <>
      <UsernameAndPassword form={form} />
      {(sendsMail || mustHaveEmail) && (
        <TextField
          label={mustHaveEmail ? t("emailRequired") : t("email")}
          type="email"
          name="email"
          required={mustHaveEmail}
          hint={mustHaveEmail ? t("emailDomains", { domains: mailDomains.join(", ") }) : t("emailHint")}
          maxLength={LIMITS.emailMaxChars}
          autoComplete="email"
          {...form.field("email")}
        />
      )}
    </>
  );
}

/** What a new account is logged in to with. */
export function UsernameAndPassword({
  form,
}: {
  form: Pick<FormState<Pick<NewAccount, "username" | "password">>, "field">;
}) {
  const { t } = useTranslation("session");
  const username = form.field("username");
  const isWrong = username.error !== undefined && !USERNAME.test(username.value);
  return (
    <>
      <TextField
        label={t("username")}
        name="username"
        required
        autoFocus
        maxLength={LIMITS.usernameMaxChars}
        hint={t("usernameHint")}
        autoCapitalize="none"
        autoComplete="username"
        spellCheck={false}
        {...username}
        {...(isWrong && { error: t("usernameRule") })}
      />
      <PasswordField
        label={t("password")}
        name="password"
        hint={t("passwordHint")}
        minLength={LIMITS.passwordMinChars}
        autoComplete="new-password"
        {...form.field("password")}
      />
    </>
  );
}

/** As the server takes it: what was left empty is left out. */
export function accountOf({ username, password, email }: NewAccount) {
  const address = email.trim();
  return { username: username.trim(), password, ...(address !== "" && { email: address }) };
}

export const ACCOUNT_ERRORS = {
  USERNAME_TAKEN: "username",
  EMAIL_TAKEN: "email",
  WEAK_PASSWORD: "password",
  EMAIL_DOMAIN_NOT_ALLOWED: "email",
} as const;
