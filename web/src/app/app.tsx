import { lazy, Suspense, useEffect } from "react";
import { Route, Switch } from "wouter";
import { EntrancePages } from "../session/landing.tsx";
import { ResetPasswordPage } from "../session/reset-password-page.tsx";
import { useSession } from "../session/session-store.ts";
import { SetupPage } from "../session/setup-page.tsx";
import { loadTokens } from "../session/session-lock.ts";
import { VerifyEmailPage } from "../session/verify-email-page.tsx";
import { PageErrorBoundary, Splash } from "./shell/page-error.tsx";
import { loadAppTexts, changeLanguage } from "../i18n/set-up.ts";
import { ROUTES } from "../routes.ts";
import { chooseLanguage } from "../i18n/language.ts";
import { usePreferences } from "../state/preferences.ts";
import { useMedia } from "../ui/hooks.ts";

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

/** Puts theme, density, motion and language onto the page as soon as they change; public/theme.js did so at the start. */
function useAppliedPreferences(): void {
  const { theme, density, language, reducedMotion } = usePreferences();
  const systemIsDark = useMedia("(prefers-color-scheme: dark)");
  const systemReduces = useMedia("(prefers-reduced-motion: reduce)");
  const isDark = theme === "system" ? systemIsDark : theme === "dark";
  const reduces = reducedMotion ?? systemReduces;
  useEffect(() => {
    const { dataset } = document.documentElement;
    const theme = isDark ? "dark" : "light";
    // Otherwise every element with a color transition animates: thousands in a long channel list.
    if (dataset["theme"] !== theme) withoutTransitions(() => (dataset["theme"] = theme));
    dataset["density"] = density;
    dataset["motion"] = reduces ? "reduced" : "full";
  }, [isDark, density, reduces]);
  useEffect(() => {
    void changeLanguage(chooseLanguage(language, navigator.languages));
  }, [language]);
}

function withoutTransitions(change: () => void): void {
  const { dataset } = document.documentElement;
  dataset["still"] = "";
  change();
  // Forces a style recalculation before transitions are enabled again.
  void getComputedStyle(document.body).color;
  delete dataset["still"];
}
