import type { Group } from "@fanfare/contract";
import type { ReactNode } from "react";
import { useRoute, useLocation } from "wouter";
import { useGroup } from "../../data/groups.ts";
import { useMe } from "../../data/me.ts";
import { directPath } from "../../routes.ts";
import { lastPlaces } from "../../state/last-channel.ts";
import { composerFieldId } from "../../composer/use-written.ts";
import { DirectsSidebar } from "../../people/directs/directs-sidebar.tsx";
import { GroupRail } from "../../groups/group-rail.tsx";
import { GroupSidebar } from "../../groups/group-sidebar.tsx";
import { offerInvite, useIsNewGroup } from "../../groups/new-group.ts";
import { InviteDialog } from "../../groups/invites/invite-dialog.tsx";
import { SearchPanelHost } from "../../search/search-panel-host.tsx";
import { ClaimBanner } from "../../session/claim-dialog.tsx";
import { AppShell } from "../shell/app-shell.tsx";
import { UserMenu } from "../shell/user-menu.tsx";

/** Groups and channels beside the page that is shown. */
export function MainLayout({ children }: { children: ReactNode }) {
  const [, place] = useRoute("/groups/:groupId/*?");
  const channelId = place?.["*"]?.split("/")[1];
  const group = useGroup(place?.groupId ?? "");
  const lastGroup = useLastGroup();
  // A page that is in no group stands beside the one that was shown last.
  const listed = group ?? lastGroup;
  return (
    <AppShell rail={<GroupRail />} sidebar={<Sidebar groupId={listed?.id} channelId={channelId} />}>
      <ClaimBanner />
      {group !== undefined && <NewGroupInvite group={group} channelId={channelId} />}
      {children}
      <SearchPanelHost />
    </AppShell>
  );
}

function useLastGroup() {
  const me = useMe();
  const [, , groupId = ""] = lastPlaces(me.id).path?.split("/") ?? [];
  return useGroup(groupId);
}

interface NewGroupInviteProps {
  group: Group;
  /** The channel that is shown. */
  channelId: string | undefined;
}

/** Shown once for a group that was just created: the link to invite others. Then the first message can be written. */
function NewGroupInvite({ group, channelId = "" }: NewGroupInviteProps) {
  if (!useIsNewGroup(group.id)) return null;
  return (
    <InviteDialog
      group={group}
      onClose={() => offerInvite(null)}
      finalFocus={() => document.getElementById(composerFieldId(channelId))}
    />
  );
}

interface SidebarProps {
  groupId: string | undefined;
  channelId: string | undefined;
}

/** The channels of the group, or the direct ones where there is none; and oneself. */
function Sidebar({ groupId, channelId }: SidebarProps) {
  const [path] = useLocation();
  return (
    <>
      <div className="flex min-h-0 flex-1 flex-col">
        {groupId === undefined || path.startsWith(directPath()) ? (
          <DirectsSidebar />
        ) : (
          <GroupSidebar key={groupId} groupId={groupId} channelId={channelId} />
        )}
      </div>
      <UserMenu />
    </>
  );
}
