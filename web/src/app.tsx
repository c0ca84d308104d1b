import { lazy, Suspense, useEffect } from "react";
import { Route, Switch } from "wouter";
import { Landing } from "./features/session/landing.tsx";
import { useSession } from "./features/session/session-store.ts";
import { loadTokens } from "./features/session/token-storage.ts";
import { PageErrorBoundary } from "./features/shell/page-error.tsx";
import { Splash } from "./features/shell/splash.tsx";
import { useAppliedPreferences } from "./features/shell/use-applied-preferences.ts";
import { ROUTES } from "./routes.ts";

const loadLoggedIn = async () => ({ default: (await import("./logged-in.tsx")).LoggedIn });
const LoggedIn = lazy(loadLoggedIn);
// Beside the texts, not after them.
if (loadTokens() !== null) void loadLoggedIn().catch(() => {});

export function App() {
  const { client, notice } = useSession();
  useAppliedPreferences();
  // Who logs in next finds it there.
  useEffect(() => {
    if (client === null) void loadLoggedIn().catch(() => {});
  }, [client]);
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
    <PageErrorBoundary place="">
      <Suspense fallback={<Splash />}>
        <LoggedIn client={client} />
      </Suspense>
    </PageErrorBoundary>
  );
}
