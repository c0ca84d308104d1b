import type { ChannelState } from "@fanfare/contract";
import { Crown, UserMinus, UserPlus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { useStatus } from "../../data/presence.ts";
import { Avatar } from "../../ui/display.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { openConfirm } from "../../ui/open-dialog.tsx";
import { ProfileCard } from "../members/profile/profile-card.tsx";
import { usePerson } from "../members/user-name.tsx";
import { UserPopover } from "../members/people-store.tsx";
import { SidePanel } from "../../app/shell/side-panel.tsx";
import { openAddPeople, type Direct } from "./use-direct.tsx";

interface PeoplePanelProps {
  channel: ChannelState;
  direct: Direct;
  onClose: () => void;
}

export function PeoplePanel({ channel, direct: { otherId, title }, onClose }: PeoplePanelProps) {
  const { t } = useTranslation("directs");
  if (otherId !== null) {
    return (
      <SidePanel title={t("common:profile")} onClose={onClose}>
        <ProfileCard userId={otherId} groupId={null} isTalking />
      </SidePanel>
    );
  }
  return (
    <SidePanel
      title={t("common:members")}
      more={<span className="text-sm text-muted tabular-nums">{channel.memberIds.length}</span>}
      onClose={onClose}
    >
      <ul className="grid content-start gap-px overflow-y-auto p-2">
        {channel.memberIds.map((userId) => (
          <Person key={userId} userId={userId} channel={channel} />
        ))}
      </ul>
      <div className="px-3">
        <Button wide icon={UserPlus} onClick={() => openAddPeople(channel, title)}>
          {t("menu.add")}
        </Button>
      </div>
    </SidePanel>
  );
}

function Person({ userId, channel }: { userId: string; channel: ChannelState }) {
  const { t } = useTranslation("directs");
  const call = useCall();
  const me = useMe();
  const { name, avatarUrl } = usePerson(userId);
  const status = useStatus(userId);
  const isOwner = channel.ownerId === userId;
  const canRemove = channel.ownerId === me.id && userId !== me.id;
  const remove = () =>
    openConfirm({
      danger: true,
      title: t("remove.title", { name }),
      children: t("remove.text"),
      action: t("remove.action"),
      onConfirm: () => call("channel.removeFromDirect", { channelId: channel.id, userId }),
    });
  return (
    <li className="flex items-center rounded-md pe-1 hover:bg-hover">
      <UserPopover
        userId={userId}
        groupId={null}
        className="flex min-h-11 min-w-0 flex-1 items-center gap-2.5 rounded-md px-2 text-start -outline-offset-2"
      >
        <Avatar name={name} id={userId} src={avatarUrl} status={status} />
        <span className="min-w-0 truncate font-medium">{name}</span>
        {isOwner && (
          <span title={t("panel.owner")} className="shrink-0 text-accent-text">
            <Crown size={14} aria-hidden />
            <span className="sr-only">{t("panel.owner")}</span>
          </span>
        )}
      </UserPopover>
      {canRemove && (
        <IconButton
          icon={UserMinus}
          size="sm"
          variant="danger"
          label={t("panel.remove", { name })}
          tooltipSide="left"
          onClick={remove}
        />
      )}
    </li>
  );
}
