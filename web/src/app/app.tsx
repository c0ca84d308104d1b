import { useEffect } from "react";
import { Route, Switch } from "wouter";
import { startReadingSaved, hasSaved } from "../data/read-saved.ts";
import { useSession } from "../session/session-store.ts";
import { loadTokens } from "../session/session-lock.ts";
import { PageErrorBoundary, Splash } from "./shell/page-error.tsx";
import { loadMoreTexts, changeLanguage } from "../i18n/set-up.ts";
import { ROUTES } from "../routes.ts";
import { chooseLanguage } from "../i18n/language.ts";
import { useIsDark, usePreferences } from "../state/preferences.ts";
import { firstShown } from "../shared/first-shown.ts";
import { later } from "../shared/later.tsx";
import { useMedia } from "../ui/hooks.ts";
import { type FanfareClient, NEWEST_MESSAGES } from "@fanfare/client";

let isAppLoaded = false;

const LoggedIn = later(
  async () => {
    const { LoggedIn: component } = await import("./logged-in.tsx");
    isAppLoaded = true;
    return component;
  },
  Splash,
  () => loadMoreTexts("app"),
);
const LoggedOutPages = later(async () => (await import("../session/landing.tsx")).LoggedOutPages, Splash);

/** Loads what the first page shows. In parallel with loading the texts. Rejects if something can't be loaded. */
export const firstLoaded = loadFirst();
firstLoaded.catch(() => {});

async function loadFirst(): Promise<void> {
  if (loadTokens() === null) return LoggedOutPages.load();
  startReadingSaved();
  await Promise.all([LoggedIn.load(), hasSaved()]);
}

const ResetPasswordPage = later(
  async () => (await import("../session/reset-password-page.tsx")).ResetPasswordPage,
  Splash,
);
const SetupPage = later(async () => (await import("../session/register-pages.tsx")).SetupPage, Splash);
const VerifyEmailPage = later(
  async () => (await import("../session/email-link-pages.tsx")).VerifyEmailPage,
  Splash,
);
const UnsubscribePage = later(async () => {
  const [page] = await Promise.all([import("../session/email-link-pages.tsx"), loadMoreTexts("pages")]);
  return page.UnsubscribePage;
}, Splash);

export function App() {
  const { client, notice, needsSecondFactor, number } = useSession();
  useAppliedPreferences();
  // Loads the other pages in advance: who logs out may have no connection, and who logs in shouldn't wait.
  useEffect(() => {
    if (client !== null) {
      void firstShown.then(() => LoggedOutPages.load()).catch(() => {});
      return askEarly(client, () => isAppLoaded);
    }
    void LoggedIn.load().catch(() => {});
    return undefined;
  }, [client]);
  return (
    <PageErrorBoundary place="">
      <Switch>
        {/* Links from emails and the setup link work with or without a session. */}
        <Route path={ROUTES.verifyEmail}>
          <VerifyEmailPage isLoggedIn={client !== null} />
        </Route>
        <Route path={ROUTES.resetPassword}>
          <ResetPasswordPage />
        </Route>
        <Route path={ROUTES.unsubscribe}>
          <UnsubscribePage isLoggedIn={client !== null} />
        </Route>
        <Route path={ROUTES.setup}>
          <SetupPage client={client} />
        </Route>
        <Route>
          {client === null ? (
            <LoggedOutPages notice={notice} />
          ) : (
            <LoggedIn key={number} client={client} needsSecondFactor={needsSecondFactor} />
          )}
        </Route>
      </Switch>
    </PageErrorBoundary>
  );
}

/** Applies the appearance and the language when they change. public/theme.js applies the appearance before the first paint. */
function useAppliedPreferences(): void {
  const { density, fontSize, highContrast, language, reducedMotion } = usePreferences();
  const isDark = useIsDark();
  const systemReduces = useMedia("(prefers-reduced-motion: reduce)");
  const systemHasContrast = useMedia("(prefers-contrast: more)");
  const hasContrast = highContrast ?? systemHasContrast;
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

/**
 * Asks for a channel's messages, and for what is shown with them, while the application is still loading. After an earlier visit, those are
 * stored. Returns a function that cancels it.
 * @param isLoaded whether the application is loaded, which asks by itself
 */
function askEarly(client: FanfareClient, isLoaded: () => boolean): () => void {
  const end = client.on("ready", () => {
    end();
    void askUnlessSaved(client, isLoaded);
  });
  return end;
}

async function askUnlessSaved(client: FanfareClient, isLoaded: () => boolean): Promise<void> {
  if ((await hasSaved()) || isLoaded() || client.state !== "online") return;
  const place = /^\/groups\/([0-9a-f]{24})\/channels\/([0-9a-f]{24})$/.exec(location.pathname);
  const [groupId, channelId] = place?.slice(1) ?? [];
  if (groupId === undefined || channelId === undefined) return;
  client.callEarly("group.listMine", {});
  client.callEarly("channel.list", { groupId });
  client.callEarly("message.list", { channelId, limit: NEWEST_MESSAGES, withUsers: true });
}
