import type { ReactNode } from "react";
import { useRoute } from "wouter";
import { useGroup } from "../../data/groups.ts";
import { GroupRail } from "../groups/group-rail.tsx";
import { AppShell } from "../shell/app-shell.tsx";
import { NewGroupInvite } from "./new-group-invite.tsx";
import { Sidebar } from "./sidebar.tsx";

/** Groups and channels beside the page that is shown. */
export function MainLayout({ children }: { children: ReactNode }) {
  const [, place] = useRoute("/groups/:groupId/*?");
  const group = useGroup(place?.groupId ?? "");
  return (
    <AppShell
      rail={<GroupRail />}
      sidebar={<Sidebar groupId={group?.id} channelId={place?.["*"]?.split("/")[1]} />}
    >
      {group !== undefined && <NewGroupInvite group={group} />}
      {children}
    </AppShell>
  );
}
