import { FanfareError } from "@fanfare/client";
import { LIMITS } from "@fanfare/contract/limits";
import { MailCheck } from "lucide-react";
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
import { Outcome } from "./outcome.tsx";
import { PasswordField } from "./password-field.tsx";
import { logIn } from "./session-store.ts";

interface LoginFormProps {
  stay: boolean;
  onStayChange: (stay: boolean) => void;
}

/** What the server asked for after the name and password. */
const NEXT_STEPS: Partial<Record<string, "code" | "email">> = {
  TOTP_REQUIRED: "code",
  EMAIL_NOT_VERIFIED: "email",
};

/** Name and password, then what the account asks for: a code, or an address to send a confirmation link to. */
export function LoginForm({ stay, onStayChange }: LoginFormProps) {
  const { t } = useTranslation("session");
  const [step, setStep] = useState<"password" | "code" | "email">("password");
  /** The address that a link was sent to. */
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm({
    initial: { username: "", password: "", code: "", email: "" },
    async submit({ username, password, code, email }) {
      const address = email.trim();
      const params = {
        username: username.trim(),
        password,
        ...(code !== "" && { code: code.trim() }),
        ...(step === "email" && address !== "" && { email: address }),
      };
      try {
        await logIn((client) => client.login(params), { stay });
      } catch (failure) {
        const next = failure instanceof FanfareError ? NEXT_STEPS[failure.type] : undefined;
        if (next === undefined) throw failure;
        if (next === step) setSentTo(address);
        if (next === "email" && step !== "email" && username.includes("@"))
          form.set("email", username.trim());
        setStep(next);
      }
    },
    fieldOfError: {
      WRONG_CREDENTIALS: "password",
      WRONG_CODE: "code",
      EMAIL_TAKEN: "email",
      EMAIL_DOMAIN_NOT_ALLOWED: "email",
    },
  });
  const back = (
    <Button
      variant="ghost"
      wide
      onClick={() => {
        form.set("code", "");
        form.set("email", "");
        setSentTo(null);
        setStep("password");
      }}
    >
      {t("back")}
    </Button>
  );
  if (step === "code") {
    return (
      <Form form={form} action={t("logIn")} wide more={back}>
        <CodeField {...form.field("code")} />
      </Form>
    );
  }
  if (sentTo !== null) {
    return (
      <Outcome icon={MailCheck} title={t("confirm.title")} text={t("confirm.text", { email: sentTo })}>
        {back}
      </Outcome>
    );
  }
  if (step === "email") {
    return (
      <Form form={form} action={t("confirm.send")} wide more={back}>
        <TextField
          label={t("emailRequired")}
          type="email"
          name="email"
          required
          autoFocus
          hint={t("confirm.again")}
          maxLength={LIMITS.emailMaxChars}
          autoComplete="email"
          {...form.field("email")}
        />
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
