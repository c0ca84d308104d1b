import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { landingPath, registerPath } from "../../routes.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Entrance } from "./entrance.tsx";
import { ENTRANCE_LINK, EntranceTitle } from "./entrance-title.tsx";
import { LoginForm } from "./login-form.tsx";
import { NoticeLine } from "./notice-line.tsx";
import { forgetOidcReturn, oidcFailure, oidcReturn } from "./oidc.ts";
import { OidcButton } from "./oidc-button.tsx";
import { OidcLogin } from "./oidc-login.tsx";
import { useWaysIn } from "./server-meta.ts";
import type { SessionNotice } from "./session-store.ts";

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
