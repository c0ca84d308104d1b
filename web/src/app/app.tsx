import { lazy, Suspense, useEffect } from "react";
import { Route, Switch } from "wouter";
import { LoggedOutPages } from "../session/landing.tsx";
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
// In parallel with loading the texts.
if (loadTokens() !== null) void loadLoggedIn().catch(() => {});

export function App() {
  const { client, notice, needsSecondFactor, number } = useSession();
  useAppliedPreferences();
  // The notice is for the next login.
  useEffect(() => {
    if (client === null) void loadLoggedIn().catch(() => {});
  }, [client]);
  return (
    <Switch>
      {/* Links from emails and the setup link work with or without a session. */}
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
          <LoggedOutPages notice={notice} />
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

/** Applies the appearance and the language when they change. public/theme.js applies them before the first paint. */
function useAppliedPreferences(): void {
  const { theme, density, fontSize, highContrast, language, reducedMotion } = usePreferences();
  const systemIsDark = useMedia("(prefers-color-scheme: dark)");
  const systemReduces = useMedia("(prefers-reduced-motion: reduce)");
  const systemHasContrast = useMedia("(prefers-contrast: more)");
  const hasContrast = highContrast ?? systemHasContrast;
  const isDark = theme === "system" ? systemIsDark : theme === "dark";
  const reduces = reducedMotion ?? systemReduces;
  useEffect(() => {
    const { dataset } = document.documentElement;
    const theme = isDark ? "dark" : "light";
    // Otherwise every element with a color transition animates, which is slow in a long channel list.
    if (dataset["theme"] !== theme) withoutTransitions(() => (dataset["theme"] = theme));
    dataset["density"] = density;
    dataset["size"] = String(fontSize);
    dataset["contrast"] = hasContrast ? "high" : "normal";
    dataset["motion"] = reduces ? "reduced" : "full";
  }, [isDark, density, fontSize, hasContrast, reduces]);
  useEffect(() => {
    void changeLanguage(chooseLanguage(language, navigator.languages));
  }, [language]);
}

function withoutTransitions(change: () => void): void {
  const { dataset } = document.documentElement;
  dataset["still"] = "";
  change();
  // Forces a style recalculation before transitions are re-enabled.
  void getComputedStyle(document.body).color;
  delete dataset["still"];
}
