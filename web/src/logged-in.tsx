import type { FanfareClient } from "@fanfare/client";
import { DataProvider } from "./data/data-provider.tsx";
import { Notifier } from "./features/notifications/notifier.tsx";
import { PageBadge } from "./features/notifications/page-badge.tsx";
import { SessionGate } from "./features/shell/session-gate.tsx";
import { GlobalShortcuts } from "./features/shortcuts/global-shortcuts.tsx";
import { SecondFactorPage } from "./features/user-settings/security/second-factor-page.tsx";
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
