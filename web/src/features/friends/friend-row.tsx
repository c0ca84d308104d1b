import type { User } from "@fanfare/contract";
import { Ellipsis, MessageCircle } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStatus } from "../../data/presence.ts";
import { ContextMenu } from "../../ui/context-menu.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { useOpenDirect } from "../directs/use-open-direct.ts";
import { StatusLine } from "../members/status-line.tsx";
import { usePersonMenu } from "../members/use-person-menu.ts";
import { PersonLine } from "./person-line.tsx";

/** A friend: how they are, and the way to talk. */
export function FriendRow({ user }: { user: User }) {
  const { t } = useTranslation("members");
  const openDirect = useOpenDirect();
  const status = useStatus(user.id);
  const items = usePersonMenu(user);
  return (
    <ContextMenu items={items}>
      <PersonLine
        user={user}
        status={status}
        subtitle={status === undefined ? undefined : <StatusLine status={status} />}
      >
        <IconButton
          icon={MessageCircle}
          label={t("messageTo", { name: user.nickname })}
          onClick={() => void openDirect(user.id)}
        />
        <Menu
          items={items}
          trigger={<IconButton icon={Ellipsis} label={t("more", { name: user.nickname })} />}
        />
      </PersonLine>
    </ContextMenu>
  );
}
