import type { FanfareClient } from "@fanfare/client";
import { DataProvider } from "../data/data-provider.tsx";
import { Notifier } from "../inbox/notifications/notifier.tsx";
import { PageBadge } from "../inbox/notifications/page-badge.tsx";
import { SessionGate } from "./shell/session-gate.tsx";
import { GlobalShortcuts } from "./shortcuts/global-shortcuts.tsx";
import { SecondFactorPage } from "../settings/security/second-factor-page.tsx";
import { Pages } from "./pages.tsx";

interface LoggedInProps {
  client: FanfareClient;
  needsSecondFactor: boolean;
}

/** Everything for who is logged in, loaded apart: the page to log in is to be there at once. */
export function LoggedIn({ client, needsSecondFactor }: LoggedInProps) {
  return (
    <DataProvider client={client}>
      {needsSecondFactor ? (
        <SecondFactorPage />
      ) : (
        <SessionGate>
          <Pages />
          <GlobalShortcuts />
          <Notifier />
          <PageBadge />
        </SessionGate>
      )}
    </DataProvider>
  );
}
