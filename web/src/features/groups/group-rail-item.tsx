import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useNotificationSetting } from "../../data/notifications.ts";
import { useGroupUnread } from "../../data/unread.ts";
import { groupPath } from "../../routes.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { isQuiet } from "../channels/mute.ts";
import { useNow } from "../../shared/use-now.ts";
import { RailLink } from "./rail-link.tsx";

interface GroupRailItemProps {
  group: Group;
  isActive: boolean;
}

export function GroupRailItem({ group, isActive }: GroupRailItemProps) {
  const { t } = useTranslation("groups");
  const { messages, mentions } = useGroupUnread(group.id);
  const setting = useNotificationSetting({ groupId: group.id });
  const quiet = isQuiet(setting, useNow());
  return (
    <RailLink
      href={groupPath(group.id)}
      name={group.name}
      isActive={isActive}
      unread={messages > 0 && !quiet}
      count={mentions}
      countLabel={t("rail.mentions", { count: mentions })}
    >
      <Avatar name={group.name} id={group.id} src={group.iconUrl} size={44} shape="square" />
    </RailLink>
  );
}
