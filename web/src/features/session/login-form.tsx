import { FanfareError } from "@fanfare/client";
import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { resetPasswordPath } from "../../routes.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";
import { CodeField } from "./code-field.tsx";
import { PasswordField } from "./password-field.tsx";
import { logIn } from "./session-store.ts";

interface LoginFormProps {
  stay: boolean;
  onStayChange: (stay: boolean) => void;
}

/** Name and password, then the code where the account asks for one. */
export function LoginForm({ stay, onStayChange }: LoginFormProps) {
  const { t } = useTranslation("session");
  const [needsCode, setNeedsCode] = useState(false);
  const form = useForm({
    initial: { username: "", password: "", code: "" },
    async submit({ username, password, code }) {
      const params = { username: username.trim(), password, ...(needsCode && { code: code.trim() }) };
      try {
        await logIn((client) => client.login(params), { stay });
      } catch (failure) {
        if (needsCode || !(failure instanceof FanfareError) || failure.type !== "TOTP_REQUIRED")
          throw failure;
        setNeedsCode(true);
      }
    },
    fieldOfError: { WRONG_CREDENTIALS: "password", WRONG_CODE: "code" },
  });
  if (needsCode) {
    return (
      <Form
        form={form}
        action={t("logIn")}
        wide
        more={
          <Button
            variant="ghost"
            wide
            onClick={() => {
              form.set("code", "");
              setNeedsCode(false);
            }}
          >
            {t("back")}
          </Button>
        }
      >
        <CodeField {...form.field("code")} />
      </Form>
    );
  }
  return (
    <Form form={form} action={t("logIn")} wide>
      <TextField
        label={t("usernameOrEmail")}
        name="username"
        required
        autoFocus
        maxLength={LIMITS.emailMaxChars}
        autoCapitalize="none"
        autoComplete="username"
        spellCheck={false}
        {...form.field("username")}
      />
      <PasswordField
        label={t("password")}
        name="password"
        autoComplete="current-password"
        {...form.field("password")}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <Checkbox
          label={t("stay")}
          hint={stay ? undefined : t("untilTabCloses")}
          checked={stay}
          onChange={onStayChange}
        />
        <Link
          href={resetPasswordPath()}
          className="rounded-sm text-sm font-medium text-accent-text underline-offset-2 hover:underline"
        >
          {t("forgot")}
        </Link>
      </div>
    </Form>
  );
}
