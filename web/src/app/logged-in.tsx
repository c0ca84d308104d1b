import type { FanfareClient } from "@fanfare/client";
import { type ReactNode, Suspense } from "react";
import { Route, Switch, useLocation } from "wouter";
import { DataProvider } from "../data/data-provider.tsx";
import { OwnDevices } from "./own-devices.tsx";
import { useServerCache } from "../data/data-context.ts";
import { useLoaded } from "../data/store.ts";
import { ConnectionBanner } from "./shell/connection-banner.tsx";
import { Splash, PageErrorBoundary } from "./shell/page-error.tsx";
import { DirectPage } from "../people/directs/direct-page.tsx";
import { GroupChannelPage, GroupPage, NotFound, HomePage } from "./home/home-pages.tsx";
import { MainLayout } from "./home/main-layout.tsx";
import { OpenDialogs } from "../ui/open-dialog.tsx";
import { useServerMeta } from "../session/server-meta.ts";
import { EarlyShortcuts } from "./shortcuts/shortcuts.ts";
import { PageLoading } from "./shell/page-header.tsx";
import { ROUTES } from "../routes.ts";
import { useFirstShown, useFirstShownInTime } from "../shared/first-shown.ts";
import { afterFirst, later, lazy, lazyWithTexts } from "../shared/later.tsx";

const Background = afterFirst(async () => (await import("./next.ts")).Background, EarlyShortcuts);
const InvitePage = later(async () => (await import("./next.ts")).InvitePage, PageLoading);
const OpenProfile = afterFirst(async () => (await import("./next.ts")).OpenProfile);

interface LoggedInProps {
  client: FanfareClient;
  needsSecondFactor: boolean;
}

/** Loaded separately to keep the login page small. */
export function LoggedIn({ client, needsSecondFactor }: LoggedInProps) {
  // Updates the name, the icons and the colors of the instance.
  useServerMeta();
  useFirstShownInTime();
  return (
    <DataProvider client={client} fallback={<Splash />}>
      {needsSecondFactor ? (
        <Suspense fallback={<Splash />}>
          <SecondFactorPage />
        </Suspense>
      ) : (
        <SessionGate>
          <Pages />
          <OwnDevices />
          <Background />
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
const AdminPage = lazyWithTexts(async () => (await import("../admin/admin-page.tsx")).AdminPage);
const GroupSettingsPage = lazyWithTexts(
  async () => (await import("../groups/group-settings/group-settings-page.tsx")).GroupSettingsPage,
);
const UserSettingsPage = lazyWithTexts(
  async () => (await import("../settings/user-settings-page.tsx")).UserSettingsPage,
);
const BrowseChannelsPage = lazy(
  async () => (await import("../groups/channels/browse-channels-page.tsx")).BrowseChannelsPage,
);
const DirectoryPage = lazy(async () => (await import("../groups/directory-page.tsx")).DirectoryPage);
const FriendsPage = lazy(async () => (await import("../people/friends/friends-page.tsx")).FriendsPage);
const InboxPage = lazy(async () => (await import("../inbox/inbox-page.tsx")).InboxPage);
const NewMessagePage = lazy(async () => (await import("../new-message/new-message-page.tsx")).NewMessagePage);
const SecondFactorPage = lazyWithTexts(
  async () => (await import("../settings/security/totp-section.tsx")).SecondFactorPage,
);
const StatusPage = lazyWithTexts(async () => (await import("../admin/status/status-page.tsx")).StatusPage);

function Pages() {
  return (
    <Guarded>
      <Switch>
        <Route path={ROUTES.invite}>{({ code }) => <InvitePage code={code} />}</Route>
        <Route path={ROUTES.settings}>
          {({ section }) => (
            <FullPage>
              <UserSettingsPage section={section} />
            </FullPage>
          )}
        </Route>
        <Route path={ROUTES.admin}>
          {({ section }) => (
            <FullPage>
              <AdminPage section={section} />
            </FullPage>
          )}
        </Route>
        <Route path={ROUTES.groupSettings}>
          {({ groupId, section }) => (
            <FullPage>
              <GroupSettingsPage groupId={groupId} section={section} />
            </FullPage>
          )}
        </Route>
        <Route>
          <MainLayout>
            <Guarded>
              <MainPages />
            </Guarded>
          </MainLayout>
        </Route>
      </Switch>
      <OpenProfile />
      <OpenDialogs />
    </Guarded>
  );
}

/** Without the lists beside it. */
function FullPage({ children }: { children: ReactNode }) {
  useFirstShown();
  return (
    <>
      <ConnectionBanner />
      {children}
    </>
  );
}

function MainPages() {
  return (
    <Switch>
      <Route path={ROUTES.channel}>
        {({ groupId, channelId }) => <GroupChannelPage groupId={groupId} channelId={channelId} />}
      </Route>
      <Route path={ROUTES.group}>{({ groupId }) => <GroupPage groupId={groupId} />}</Route>
      <Route path={ROUTES.groupChannels}>{({ groupId }) => <BrowseChannelsPage groupId={groupId} />}</Route>
      <Route path={ROUTES.directory}>
        <DirectoryPage />
      </Route>
      <Route path={ROUTES.friends}>
        <FriendsPage />
      </Route>
      <Route path={ROUTES.direct}>{({ channelId }) => <DirectPage channelId={channelId} />}</Route>
      <Route path={ROUTES.inbox}>
        <InboxPage />
      </Route>
      <Route path={ROUTES.newMessage}>
        <NewMessagePage />
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
