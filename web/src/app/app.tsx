import { lazy, Suspense, useEffect } from "react";
import { Route, Switch } from "wouter";
import { EntrancePages } from "../session/entrance-pages.tsx";
import { ResetPasswordPage } from "../session/reset-password-page.tsx";
import { useSession } from "../session/session-store.ts";
import { SetupPage } from "../session/setup-page.tsx";
import { loadTokens } from "../session/session-lock.ts";
import { VerifyEmailPage } from "../session/verify-email-page.tsx";
import { PageErrorBoundary } from "./shell/page-error.tsx";
import { Splash } from "./shell/splash.tsx";
import { useAppliedPreferences } from "./shell/use-applied-preferences.ts";
import { loadAppTexts } from "../i18n/set-up.ts";
import { ROUTES } from "../routes.ts";

async function loadLoggedIn() {
  const [{ LoggedIn: component }] = await Promise.all([import("./logged-in.tsx"), loadAppTexts()]);
  return { default: component };
}
const LoggedIn = lazy(loadLoggedIn);
// Beside the texts, not after them.
if (loadTokens() !== null) void loadLoggedIn().catch(() => {});

export function App() {
  const { client, notice, needsSecondFactor, number } = useSession();
  useAppliedPreferences();
  // Who logs in next finds it there.
  useEffect(() => {
    if (client === null) void loadLoggedIn().catch(() => {});
  }, [client]);
  return (
    <Switch>
      {/* Mailed links and the setup link are for whoever opens them, logged in or not. */}
      <Route path={ROUTES.verifyEmail}>
        <VerifyEmailPage isLoggedIn={client !== null} />
      </Route>
      <Route path={ROUTES.resetPassword}>
        <ResetPasswordPage />
      </Route>
      <Route path={ROUTES.setup}>
        <SetupPage client={client} />
      </Route>
      <Route>
        {client === null ? (
          <EntrancePages notice={notice} />
        ) : (
          <PageErrorBoundary place="">
            <Suspense fallback={<Splash />}>
              <LoggedIn key={number} client={client} needsSecondFactor={needsSecondFactor} />
            </Suspense>
          </PageErrorBoundary>
        )}
      </Route>
    </Switch>
  );
}
