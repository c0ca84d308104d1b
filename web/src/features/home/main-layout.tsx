import type { ReactNode } from "react";
import { useRoute } from "wouter";
import { useGroups } from "../../data/groups.ts";
import { GroupRail } from "../groups/group-rail.tsx";
import { AppShell } from "../shell/app-shell.tsx";
import { Sidebar } from "./sidebar.tsx";

/** Groups and channels beside the page that is shown. */
export function MainLayout({ children }: { children: ReactNode }) {
  const [, place] = useRoute("/groups/:groupId/*?");
  const groups = useGroups().data;
  const group = groups?.find(({ id }) => id === place?.groupId);
  return (
    <AppShell
      rail={<GroupRail />}
      sidebar={<Sidebar group={group} channelId={place?.["*"]?.split("/")[1]} />}
    >
      {children}
    </AppShell>
  );
}
