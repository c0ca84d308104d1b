import { FanfareError } from "@fanfare/client";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { LIMITS } from "@fanfare/contract/limits";
import { MailCheck } from "lucide-react";
import { landingPath, registerPath, resetPasswordPath } from "../routes.ts";
import { later } from "../shared/later.tsx";
import { errorText } from "../shared/use-action.ts";
import { ErrorNote, Spinner } from "../ui/feedback.tsx";
import { Form, useForm, TextField } from "../ui/form.tsx";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { CodeField, EmailField, PasswordField } from "./account-fields.tsx";
import { LoginLink, LoginTitle, SessionNoticeBanner, Outcome, LoginLayout } from "./login-layout.tsx";
import { OidcButtons, oidcFailure, useLoginStartedAtProvider } from "./oidc.tsx";
import { clearOidcReturn, oidcReturn, type OidcReturn } from "./oidc-return.ts";
import { useServerMeta, useLoginOptions } from "./server-meta.ts";
import { logIn, type SessionNotice } from "./session-store.ts";
import { requestedInvite } from "./requested-path.ts";

interface OidcReturnProps {
  back: Extract<OidcReturn, { oidcCode: string }>;
  onFailure: (text: string) => void;
}

interface LoginPageProps {
  notice: SessionNotice | null;
  /** Whether another page was requested that needs a login. */
  hasRequestedPath: boolean;
}

/** Only where passkeys work. */
const PasskeyButton = later(async () => (await import("./passkey-button.tsx")).PasskeyButton);

const LOADING = { guest: false, password: true, passkey: false, register: false };

export function LoginPage({ notice, hasRequestedPath }: LoginPageProps) {
  const { t } = useTranslation("session");
  const [back, setBack] = useState(() => oidcReturn("login"));
  const [error, setError] = useState(() => oidcFailure(back));
  const [stay, setStay] = useState(true);
  const ways = useLoginOptions() ?? LOADING;
  useEffect(clearOidcReturn, []);
  useLoginStartedAtProvider();
  const guest = <LoginLink href={landingPath()}>{t("asGuest")}</LoginLink>;
  return (
    <LoginLayout>
      <SessionNoticeBanner notice={notice} />
      <LoginTitle
        title={t("logIn")}
        text={hasRequestedPath && notice === null ? t("loginFirst") : undefined}
      />
      {back !== null && "oidcCode" in back ? (
        <OidcLogin
          back={back}
          onFailure={(text) => {
            setError(text);
            setBack(null);
          }}
        />
      ) : (
        <>
          <ErrorNote text={error} />
          {ways.password && <LoginForm stay={stay} onStayChange={setStay} />}
          {ways.passkey && <PasskeyButton stay={stay} />}
          <OidcButtons stay={stay} isOnly={!ways.password} hasLine={ways.password && !ways.passkey} />
          {(ways.register || ways.guest) && (
            <div className="grid justify-items-center gap-1.5 text-center text-sm text-muted">
              <p>
                {t("noAccount")}{" "}
                {ways.register ? <LoginLink href={registerPath()}>{t("register")}</LoginLink> : guest}
              </p>
              {ways.register && ways.guest && guest}
            </div>
          )}
        </>
      )}
    </LoginLayout>
  );
}

/** Completes a login at the OIDC provider and asks for the code if two-step verification is on. */
function OidcLogin({ back: { trip, oidcCode }, onFailure }: OidcReturnProps) {
  const { t } = useTranslation("session");
  const [needsCode, setNeedsCode] = useState(false);
  const begun = useRef(false);
  const meta = useServerMeta();
  const inviteCode = meta?.registration === "invite" ? requestedInvite()?.code : undefined;
  const exchange = (code?: string) =>
    logIn(
      (client) =>
        client.call("user.exchangeOidcCode", {
          oidcCode,
          verifier: trip.verifier,
          ...(code !== undefined && { code }),
          ...(inviteCode !== undefined && { inviteCode }),
        }),
      { stay: trip.stay },
    );
  const form = useForm({
    initial: { code: "" },
    submit: ({ code }) => exchange(code.trim()),
    fieldOfError: { WRONG_CODE: "code" },
  });
  useEffect(() => {
    // The code can only be used once.
    if (begun.current || meta === undefined) return;
    begun.current = true;
    exchange().catch((failure: unknown) => {
      const type = failure instanceof FanfareError ? failure.type : null;
      if (type === "TOTP_REQUIRED") setNeedsCode(true);
      else onFailure(type === "EMAIL_TAKEN" ? t("oidc.emailTaken") : errorText(failure));
    });
    // oxlint-disable-next-line react/exhaustive-deps -- once
  }, [meta]);
  if (!needsCode) return <Spinner label={t("oidc.busy")} className="mx-auto my-8 text-muted" />;
  return (
    <Form form={form} action={t("logIn")} wide>
      <CodeField {...form.field("code")} />
    </Form>
  );
}

/** What the server can require after the password. */
const NEXT_STEPS: Partial<Record<string, "code" | "email">> = {
  TOTP_REQUIRED: "code",
  EMAIL_NOT_VERIFIED: "email",
};

/** Asks for username and password, then for a code or an email address if the account requires it. */
function LoginForm({ stay, onStayChange }: { stay: boolean; onStayChange: (stay: boolean) => void }) {
  const { t } = useTranslation("session");
  const [step, setStep] = useState<"password" | "code" | "email">("password");
  /** The address that the link was sent to. */
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
      // The first login of an LDAP user can fail with them too.
      ...(step === "email" && ({ EMAIL_TAKEN: "email", EMAIL_DOMAIN_NOT_ALLOWED: "email" } as const)),
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
      <Outcome icon={MailCheck} title={t("reset.sent")} text={t("confirm.text", { email: sentTo })}>
        {back}
      </Outcome>
    );
  }
  if (step === "email") {
    return (
      <Form form={form} action={t("reset.send")} wide more={back}>
        <EmailField
          label={t("emailRequired")}
          required
          autoFocus
          hint={t("confirm.notVerified")}
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
          label={t("stayLoggedIn")}
          hint={stay ? undefined : t("stayLoggedInHint")}
          checked={stay}
          onChange={onStayChange}
        />
        <span className="text-sm">
          <LoginLink href={resetPasswordPath()}>{t("reset.title")}</LoginLink>
        </span>
      </div>
    </Form>
  );
}
