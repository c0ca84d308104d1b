import type { FanfareClient } from "@fanfare/client";
import { DataProvider } from "../data/data-provider.tsx";
import { Notifier } from "../inbox/notifications/notifier.tsx";
import { PageBadge } from "../inbox/notifications/unmuted-unread.ts";
import { GlobalShortcuts } from "./shortcuts/global-shortcuts.tsx";
import { SecondFactorPage } from "../settings/security/second-factor-page.tsx";
import { type ReactNode, lazy, Suspense } from "react";
import { useServerCache } from "../data/data-context.ts";
import { useLoaded } from "../data/store.ts";
import { ConnectionBanner } from "./shell/connection-banner.tsx";
import { Splash, PageErrorBoundary } from "./shell/page-error.tsx";
import { Route, Switch, useLocation } from "wouter";
import { DirectPage } from "../people/directs/direct-page.tsx";
import { GroupChannelPage, GroupPage, NotFound } from "./home/group-page.tsx";
import { HomePage } from "./home/home-page.tsx";
import { MainLayout } from "./home/main-layout.tsx";
import { InvitePage } from "../groups/invites/invite-page.tsx";
import { PeopleHost } from "../people/members/people-host.tsx";
import { PageLoading } from "./shell/page-header.tsx";
import { ROUTES } from "../routes.ts";

interface LoggedInProps {
  client: FanfareClient;
  needsSecondFactor: boolean;
}

/** Loaded separately to keep the login page small. */
export function LoggedIn({ client, needsSecondFactor }: LoggedInProps) {
  return (
    <DataProvider client={client} fallback={<Splash />}>
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

/** Renders the application once the user is known; after a reload this takes a request. */
function SessionGate({ children }: { children: ReactNode }) {
  const { client } = useServerCache();
  const { data } = useLoaded("user.me", {}, ({ me }) => me ?? undefined);
  if (data !== undefined || client.user !== null) return children;
  return (
    <>
      <ConnectionBanner />
      <Splash />
    </>
  );
}

// Pages that are rarely opened first are loaded on demand.
const AdminPage = lazy(async () => ({
  default: (await import("../admin/admin-page.tsx")).AdminPage,
}));
const GroupSettingsPage = lazy(async () => ({
  default: (await import("../groups/group-settings/group-settings-page.tsx")).GroupSettingsPage,
}));
const UserSettingsPage = lazy(async () => ({
  default: (await import("../settings/user-settings-page.tsx")).UserSettingsPage,
}));
const FriendsPage = lazy(async () => ({
  default: (await import("../people/friends/friends-page.tsx")).FriendsPage,
}));
const InboxPage = lazy(async () => ({
  default: (await import("../inbox/inbox-page.tsx")).InboxPage,
}));
const StatusPage = lazy(async () => ({
  default: (await import("../admin/status/status-page.tsx")).StatusPage,
}));

function Pages() {
  return (
    <Guarded>
      <Switch>
        <Route path={ROUTES.invite}>{({ code }) => <InvitePage code={code} />}</Route>
        <Route path={ROUTES.settings}>{({ section }) => <UserSettingsPage section={section} />}</Route>
        <Route path={ROUTES.admin}>{({ section }) => <AdminPage section={section} />}</Route>
        <Route path={ROUTES.groupSettings}>
          {({ groupId, section }) => <GroupSettingsPage groupId={groupId} section={section} />}
        </Route>
        <Route>
          <MainLayout>
            <Guarded>
              <MainPages />
            </Guarded>
          </MainLayout>
        </Route>
      </Switch>
      <PeopleHost />
    </Guarded>
  );
}

function MainPages() {
  return (
    <Switch>
      <Route path={ROUTES.channel}>
        {({ groupId, channelId }) => <GroupChannelPage groupId={groupId} channelId={channelId} />}
      </Route>
      <Route path={ROUTES.group}>{({ groupId }) => <GroupPage groupId={groupId} />}</Route>
      <Route path={ROUTES.friends}>
        <FriendsPage />
      </Route>
      <Route path={ROUTES.direct}>{({ channelId }) => <DirectPage channelId={channelId} />}</Route>
      <Route path={ROUTES.inbox}>
        <InboxPage />
      </Route>
      <Route path={ROUTES.status}>
        <StatusPage />
      </Route>
      <Route path={ROUTES.landing}>
        <HomePage />
      </Route>
      {/* Login pages lead to the start page once the user is logged in. */}
      <Route path={ROUTES.login}>
        <HomePage />
      </Route>
      <Route path={ROUTES.register}>
        <HomePage />
      </Route>
      <Route>
        <NotFound what="page" />
      </Route>
    </Switch>
  );
}

function Guarded({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  return (
    <PageErrorBoundary place={path}>
      <Suspense fallback={<PageLoading />}>{children}</Suspense>
    </PageErrorBoundary>
  );
}
