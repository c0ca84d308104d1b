import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useState } from "react";
import { Eye, EyeOff } from "lucide-react";
import { TextField, type TextFieldProps, type FormState } from "../ui/form.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { useServerMeta } from "./server-meta.ts";

/** `email` can be empty. */
interface NewAccount extends Record<string, unknown> {
  username: string;
  password: string;
  email: string;
}

const USERNAME = new RegExp(`^[A-Za-z0-9_.-]{${LIMITS.usernameMinChars},${LIMITS.usernameMaxChars}}$`);

/** Asks for an email address only if the server sends email or requires one. */
export function AccountFields({ form }: { form: Pick<FormState<NewAccount>, "field"> }) {
  const { t } = useTranslation("session");
  const { sendsMail = false, mailDomains = [] } = useServerMeta() ?? {};
  const mustHaveEmail = mailDomains.length > 0;
  return (
    <>
      <UsernameAndPassword form={form} />
      {(sendsMail || mustHaveEmail) && (
        <EmailField
          label={mustHaveEmail ? t("emailRequired") : t("email")}
          required={mustHaveEmail}
          hint={mustHaveEmail ? t("emailDomains", { domains: mailDomains.join(", ") }) : t("emailHint")}
          {...form.field("email")}
        />
      )}
    </>
  );
}

export function EmailField(props: TextFieldProps) {
  return (
    <TextField type="email" name="email" maxLength={LIMITS.emailMaxChars} autoComplete="email" {...props} />
  );
}

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

/** Leaves out empty fields, as the API expects. */
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

interface CodeFieldProps {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  autoFocus?: boolean;
}

/** A six-digit authenticator code or a recovery code. */
export function CodeField({ value, onChange, error, autoFocus = true }: CodeFieldProps) {
  const { t } = useTranslation("session");
  const [byRecovery, setByRecovery] = useState(false);
  return (
    <div className="grid justify-items-start gap-2 *:first:w-full">
      <TextField
        key={String(byRecovery)}
        label={byRecovery ? t("code.recovery") : t("code.app")}
        hint={byRecovery ? t("code.recoveryHint") : t("code.appHint")}
        name="code"
        required
        autoFocus={autoFocus}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        inputMode={byRecovery ? "text" : "numeric"}
        maxLength={LIMITS.codeMaxChars}
        className="text-lg tracking-widest tabular-nums"
        value={value}
        onChange={onChange}
        error={error}
      />
      <Button
        variant="ghost"
        size="sm"
        className="-ms-2.5"
        onClick={() => {
          onChange("");
          setByRecovery(!byRecovery);
        }}
      >
        {byRecovery ? t("code.useApp") : t("code.useRecovery")}
      </Button>
    </div>
  );
}

/** Can be revealed while typing. */
export function PasswordField(props: Omit<TextFieldProps, "type" | "after">) {
  const { t } = useTranslation("session");
  const [isShown, setShown] = useState(false);
  return (
    <TextField
      required
      maxLength={LIMITS.passwordMaxChars}
      autoCapitalize="none"
      spellCheck={false}
      {...props}
      className="pe-[calc(var(--spacing-control)+0.25rem)]"
      type={isShown ? "text" : "password"}
      after={
        <IconButton
          icon={isShown ? EyeOff : Eye}
          label={isShown ? t("hidePassword") : t("showPassword")}
          onClick={() => setShown(!isShown)}
          tooltipSide="left"
          className="-ms-[calc(var(--spacing-control)+0.5rem)]"
        />
      }
    />
  );
}
