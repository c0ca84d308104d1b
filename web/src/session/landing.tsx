import { useEffect, useState } from "react";
import { Route, Switch, useLocation, useSearch, Link } from "wouter";
import { ROUTES, loginPath, registerPath } from "../routes.ts";
import { LoginPage } from "./login-page.tsx";
import { type SessionNotice, logIn } from "./session-store.ts";
import { isLoginPath, rememberRequestedPath } from "./requested-path.ts";
import { LIMITS } from "@fanfare/contract/limits";
import type { Result } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { buttonClass } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { Form, TextField, useForm } from "../ui/form.tsx";
import { InvitedGroup, inviteErrorText, joinAfterLogin } from "../groups/invites/invited-group.tsx";
import { anonymous, OidcButtons, OrLine } from "./oidc.tsx";
import { LoginTitle, SessionNoticeBanner, LoginLayout } from "./login-layout.tsx";
import { useLoginOptions } from "./server-meta.ts";
import { Splash } from "../app/shell/page-error.tsx";
import { later } from "../shared/later.tsx";

const RegisterPage = later(async () => (await import("./register-pages.tsx")).RegisterPage, Splash);

/** All pages before login. Any other address is opened after the login. */
export function LoggedOutPages({ notice }: { notice: SessionNotice | null }) {
  const [path] = useLocation();
  const search = useSearch();
  useEffect(() => {
    // Also restored after a login at an OIDC provider.
    if (!isLoginPath(path) && path !== ROUTES.landing)
      rememberRequestedPath(`${path}${search === "" ? "" : `?${search}`}${location.hash}`);
  }, [path, search]);
  return (
    <Switch>
      <Route path={ROUTES.landing}>
        <Landing notice={notice} inviteCode={undefined} />
      </Route>
      <Route path={ROUTES.invite}>{({ code }) => <Landing notice={notice} inviteCode={code} />}</Route>
      <Route path={ROUTES.register}>
        <RegisterPage />
      </Route>
      <Route path={ROUTES.login}>
        <LoginPage notice={notice} hasRequestedPath={false} />
      </Route>
      <Route>
        <LoginPage notice={notice} hasRequestedPath />
      </Route>
    </Switch>
  );
}

interface LandingProps {
  notice: SessionNotice | null;
  inviteCode: string | undefined;
}

function Landing({ notice, inviteCode }: LandingProps) {
  const { t } = useTranslation("session");
  const ways = useLoginOptions();
  return (
    <LoginLayout>
      <SessionNoticeBanner notice={notice} />
      {inviteCode === undefined ? (
        <LoginTitle title={t("welcome")} />
      ) : (
        <InvitePreview key={inviteCode} code={inviteCode} />
      )}
      {ways !== null && (
        <>
          {ways.guest && (
            <>
              <GuestForm label={inviteCode === undefined ? t("asGuest") : t("joinAsGuest")} />
              <OrLine>{t("orWithAccount")}</OrLine>
            </>
          )}
          {ways.password ? (
            <nav aria-label={t("withAccount")} className="grid auto-cols-fr grid-flow-col gap-2">
              <Link href={loginPath()} className={buttonClass(ways.guest ? {} : { variant: "primary" })}>
                {t("logIn")}
              </Link>
              {ways.register && (
                <Link href={registerPath()} className={buttonClass()}>
                  {t("register")}
                </Link>
              )}
            </nav>
          ) : (
            <OidcButtons stay isOnly />
          )}
        </>
      )}
    </LoginLayout>
  );
}

/** The invited group, visible without login. Logging in from here joins the group. */
function InvitePreview({ code }: { code: string }) {
  const [group, setGroup] = useState<Result<"invite.preview">["group"] | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let shown = true;
    anonymous.call("invite.preview", { code }).then(
      (preview) => shown && setGroup(preview.group),
      (failure: unknown) => shown && setError(inviteErrorText(failure)),
    );
    return () => {
      shown = false;
    };
  }, [code]);
  const isGood = group !== null;
  useEffect(() => {
    if (isGood) joinAfterLogin(code);
  }, [isGood, code]);
  if (error !== null) return <ErrorNote text={error} />;
  return (
    <div className="rounded-lg bg-accent-soft p-5" role="status">
      <InvitedGroup group={group} />
    </div>
  );
}

/** Joins as a guest; the name is optional. */
function GuestForm({ label }: { label: string }) {
  const { t } = useTranslation("session");
  const form = useForm({
    initial: { nickname: "" },
    submit: ({ nickname }) => {
      const name = nickname.trim();
      return logIn((client) => client.createGuest(name === "" ? {} : { nickname: name }));
    },
  });
  return (
    <Form form={form} action={label} wide>
      <TextField
        label={t("yourName")}
        name="nickname"
        maxLength={LIMITS.nicknameMaxChars}
        autoComplete="nickname"
        {...form.field("nickname")}
      />
    </Form>
  );
}
