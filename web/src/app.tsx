import { Route, Switch } from "wouter";
import { DataProvider } from "./data/data-provider.tsx";
import { ClientContext } from "./features/session/client-context.ts";
import { Landing } from "./features/session/landing.tsx";
import { useSession } from "./features/session/session-store.ts";
import { SessionGate } from "./features/shell/session-gate.tsx";
import { useAppliedPreferences } from "./features/shell/use-applied-preferences.ts";
import { Pages } from "./pages.tsx";
import { ROUTES } from "./routes.ts";

export function App() {
  const { client, notice } = useSession();
  useAppliedPreferences();
  if (client === null) {
    return (
      <Switch>
        <Route path={ROUTES.invite}>{({ code }) => <Landing notice={notice} inviteCode={code} />}</Route>
        <Route>
          <Landing notice={notice} inviteCode={undefined} />
        </Route>
      </Switch>
    );
  }
  return (
    <ClientContext value={client}>
      <DataProvider client={client}>
        <SessionGate>
          <Pages />
        </SessionGate>
      </DataProvider>
    </ClientContext>
  );
}
