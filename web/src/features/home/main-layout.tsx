import type { ReactNode } from "react";
import { useRoute } from "wouter";
import { useGroup } from "../../data/groups.ts";
import { useMe } from "../../data/me.ts";
import { lastPlaces } from "../../state/last-channel.ts";
import { GroupRail } from "../groups/group-rail.tsx";
import { SearchPanelHost } from "../search/search-panel-host.tsx";
import { ClaimBanner } from "../session/claim-banner.tsx";
import { AppShell } from "../shell/app-shell.tsx";
import { NewGroupInvite } from "./new-group-invite.tsx";
import { Sidebar } from "./sidebar.tsx";

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
