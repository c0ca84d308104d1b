import { FanfareError } from "@fanfare/client";
import { useEffect, useState, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { landingPath, registerPath } from "../../routes.ts";
import { errorText } from "../../shared/error-text.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Form } from "../../ui/form.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { useForm } from "../../ui/use-form.ts";
import { CodeField } from "./code-field.tsx";
import { ENTRANCE_LINK, EntranceTitle } from "./entrance-title.tsx";
import { Entrance } from "./entrance.tsx";
import { LoginForm } from "./login-form.tsx";
import { NoticeLine } from "./notice-line.tsx";
import { OidcButton } from "./oidc-button.tsx";
import { forgetOidcReturn, oidcFailure, oidcReturn, type OidcReturn } from "./oidc.ts";
import { useWaysIn, useServerMeta } from "./server-meta.ts";
import { type SessionNotice, logIn } from "./session-store.ts";
import { wantedInvite } from "./wanted-place.ts";

interface OidcReturnProps {
  back: Extract<OidcReturn, { oidcCode: string }>;
  /** What went wrong, for people. */
  onFailure: (text: string) => void;
}

interface LoginPageProps {
  notice: SessionNotice | null;
  /** Whether somebody wanted to go to a page that needs a login. */
  wantsPlace: boolean;
}

export function LoginPage({ notice, wantsPlace }: LoginPageProps) {
  const { t } = useTranslation("session");
  const [back, setBack] = useState(() => oidcReturn("login"));
  const [error, setError] = useState(() => oidcFailure(back));
  const [stay, setStay] = useState(true);
  const ways = useWaysIn() ?? { guest: false, password: true, register: false, needsInvite: false };
  useEffect(forgetOidcReturn, []);
  return (
    <Entrance>
      <NoticeLine notice={notice} />
      <EntranceTitle title={t("logIn")} text={wantsPlace && notice === null ? t("loginFirst") : undefined} />
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
          <OidcButton stay={stay} isOnly={!ways.password} />
          {(ways.register || ways.guest) && (
            <p className="text-center text-sm text-muted">
              {t("noAccount")}{" "}
              {ways.register && (
                <Link href={registerPath()} className={ENTRANCE_LINK}>
                  {t("register")}
                </Link>
              )}
              {ways.register && ways.guest && " · "}
              {ways.guest && (
                <Link href={landingPath()} className={ENTRANCE_LINK}>
                  {t("asGuest")}
                </Link>
              )}
            </p>
          )}
        </>
      )}
    </Entrance>
  );
}

/** Finishes a login at the provider, and asks for the code if two-step verification is on. */
function OidcLogin({ back: { trip, oidcCode }, onFailure }: OidcReturnProps) {
  const { t } = useTranslation("session");
  const [needsCode, setNeedsCode] = useState(false);
  const begun = useRef(false);
  const meta = useServerMeta();
  const inviteCode = meta?.registration === "invite" ? wantedInvite() : undefined;
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
    // It is good for one login.
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
