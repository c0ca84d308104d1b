import { MessageCircle, Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useFriendRequests } from "../../data/friends.ts";
import { useGroups } from "../../data/groups.ts";
import { useMe } from "../../data/me.ts";
import { useGroupUnread } from "../../data/unread.ts";
import { directPath } from "../../routes.ts";
import { walkByArrows } from "../../shared/walk-keys.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { InboxRailLink } from "../inbox/inbox-rail-link.tsx";
import { SwitcherButton } from "../quick-switcher/switcher-button.tsx";
import { AddGroupDialog } from "./add-group-dialog.tsx";
import { GroupRailItem } from "./group-rail-item.tsx";
import { RailLink } from "./rail-link.tsx";

/** At the far left: direct messages, the groups, and the way to another group. The arrow keys go up and down. */
export function GroupRail() {
  const { t } = useTranslation("groups");
  const { data: groups } = useGroups();
  const [path] = useLocation();
  const { messages } = useGroupUnread(null);
  const isAccount = useMe().kind === "member";
  const { data: requests } = useFriendRequests({ enabled: isAccount });
  const newCount = messages + (requests?.filter(({ direction }) => direction === "incoming").length ?? 0);
  const [isAdding, setAdding] = useState(false);
  return (
    <nav
      aria-label={t("rail.label")}
      onKeyDown={walkByArrows}
      className="flex flex-col items-center gap-2 py-3"
    >
      <RailLink
        href={directPath()}
        name={t("rail.direct")}
        isActive={path.startsWith("/direct")}
        unread={newCount > 0}
        count={newCount}
        countLabel={t("rail.new", { count: newCount })}
      >
        <span className="flex size-11 items-center justify-center rounded-lg bg-canvas text-muted group-hover:text-text group-aria-[current=page]:bg-accent group-aria-[current=page]:text-on-accent">
          <MessageCircle size={22} aria-hidden />
        </span>
      </RailLink>
      <InboxRailLink />
      <SwitcherButton />
      <hr className="w-8 border-line-strong/40" />
      <ul className="grid gap-2">
        {groups?.map((group) => (
          <li key={group.id}>
            <GroupRailItem group={group} isActive={path.startsWith(`/groups/${group.id}`)} />
          </li>
        ))}
        {groups === undefined &&
          [1, 2, 3].map((key) => (
            <li key={key}>
              <Skeleton className="size-11 rounded-lg" />
            </li>
          ))}
      </ul>
      <IconButton
        icon={Plus}
        label={t("rail.add")}
        tooltipSide="right"
        data-walk
        className="size-11 rounded-lg border border-dashed border-line-strong"
        onClick={() => setAdding(true)}
      />
      {isAdding && <AddGroupDialog onClose={() => setAdding(false)} />}
    </nav>
  );
}
