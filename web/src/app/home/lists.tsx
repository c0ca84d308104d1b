import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { GroupRail } from "../../groups/group-rail.tsx";
import { GroupSidebar } from "../../groups/group-sidebar.tsx";
import { DirectsSidebar } from "../../people/directs/directs-sidebar.tsx";
import { directPath } from "../../routes.ts";
import { later } from "../../shared/later.tsx";
import { Drawer } from "../../ui/dialog.tsx";
import { useIsPhone } from "../../ui/hooks.ts";
import { useShell } from "../shell/page-header.tsx";
import { UserMenu } from "../shell/user-menu.tsx";
import { InCall, ListColumns } from "./main-layout.tsx";

const CallBar = later(async () => (await import("../../calls/call-bar.tsx")).CallBar);

interface ListsProps {
  groupId: string | undefined;
  channelId: string | undefined;
}

/** The groups, and the channels or direct messages. On phones in a drawer. */
export function Lists({ groupId, channelId }: ListsProps) {
  const { t } = useTranslation("shell");
  const isPhone = useIsPhone();
  const { drawerAt, setDrawerAt } = useShell();
  const [path] = useLocation();
  /** A link to the open page doesn't change the path. */
  const closeByLink = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest("a") !== null) setDrawerAt(null);
  };
  const lists = (
    <ListColumns rail={<GroupRail />} sidebar={<Sidebar groupId={groupId} channelId={channelId} />} />
  );
  if (!isPhone) return lists;
  return (
    <Drawer open={drawerAt === path} onClose={() => setDrawerAt(null)} label={t("lists")}>
      <div className="contents" onClickCapture={closeByLink}>
        {lists}
      </div>
    </Drawer>
  );
}

function Sidebar({ groupId, channelId }: ListsProps) {
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
      <InCall bar={CallBar} />
      <UserMenu />
    </>
  );
}
