import { lazy, type ReactNode, Suspense } from "react";
import { Route, Switch, useLocation } from "wouter";
import { DirectPage } from "../people/directs/direct-page.tsx";
import { GroupChannelPage } from "./home/group-channel-page.tsx";
import { GroupPage } from "./home/group-page.tsx";
import { HomePage } from "./home/home-page.tsx";
import { MainLayout } from "./home/main-layout.tsx";
import { InvitePage } from "../groups/invites/invite-page.tsx";
import { PeopleHost } from "../people/members/people-host.tsx";
import { PageErrorBoundary } from "./shell/page-error.tsx";
import { PageLoading } from "./shell/page-loading.tsx";
import { ROUTES } from "../routes.ts";

// What few need at the start is loaded when it is gone to.
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

/** The pages of who is logged in: those that fill the window, then those beside the lists. */
export function Pages() {
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
      <Route>
        <HomePage />
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
