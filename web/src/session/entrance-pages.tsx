import { useEffect } from "react";
import { Route, Switch, useLocation, useSearch } from "wouter";
import { ROUTES } from "../routes.ts";
import { Landing } from "./landing.tsx";
import { LoginPage } from "./login-page.tsx";
import { RegisterPage } from "./register-page.tsx";
import type { SessionNotice } from "./session-store.ts";
import { isEntrance, wantPlace } from "./wanted-place.ts";

/** Everything for who is not logged in. Whatever else somebody wanted to see comes after the login. */
export function EntrancePages({ notice }: { notice: SessionNotice | null }) {
  const [path] = useLocation();
  const search = useSearch();
  useEffect(() => {
    // Whoever logs in at another site comes back to where they are now.
    if (!isEntrance(path) && path !== ROUTES.landing) wantPlace(search === "" ? path : `${path}?${search}`);
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
        <LoginPage notice={notice} wantsPlace={false} />
      </Route>
      <Route>
        <LoginPage notice={notice} wantsPlace />
      </Route>
    </Switch>
  );
}
