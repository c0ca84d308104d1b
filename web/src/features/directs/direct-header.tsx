import type { ChannelState } from "@fanfare/contract";
import { AtSign, CircleUser, Ellipsis, Pin, UserPlus, Users } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStatus } from "../../data/presence.ts";
import { togglePanel, usePanels } from "../../state/panels.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { useIsPhone } from "../../ui/use-media.ts";
import { SearchButton } from "../search/search-button.tsx";
import { StatusLine } from "../members/status-line.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import type { OpenDirectDialog } from "./direct-dialog.ts";
import type { Direct } from "./use-direct.ts";
import { useDirectMenu } from "./use-direct-menu.ts";

interface DirectHeaderProps {
  channel: ChannelState;
  direct: Direct;
  onOpen: OpenDirectDialog;
}

/** Whom one talks with, how they are, and what can be done. */
export function DirectHeader({ channel, direct: { title, otherId }, onOpen }: DirectHeaderProps) {
  const { t } = useTranslation("directs");
  const panel = usePanels((state) => state.panel);
  const status = useStatus(otherId);
  const { items } = useDirectMenu(channel, onOpen);
  const isPhone = useIsPhone();
  const isGroup = channel.kind === "groupDirect";
  const add = () => {
    if (isGroup) onOpen({ kind: "add", channel });
    else if (otherId !== null) onOpen({ kind: "create", userIds: [otherId] });
  };
  // For these there is no room on phones.
  const pins = { label: t("messages:pins.open"), icon: Pin, onSelect: () => togglePanel("pins") };
  return (
    <PageHeader
      icon={isGroup ? Users : AtSign}
      title={title}
      subtitle={
        isGroup
          ? t("people", { count: channel.memberIds.length })
          : status !== undefined && <StatusLine status={status} />
      }
      actions={
        <>
          <SearchButton />
          <span className="flex gap-1 max-md:hidden">
            <IconButton
              icon={UserPlus}
              label={isGroup ? t("menu.add") : t("menu.startGroup")}
              tooltipSide="bottom"
              onClick={add}
            />
            <IconButton
              icon={Pin}
              label={t("messages:pins.open")}
              pressed={panel === "pins"}
              tooltipSide="bottom"
              onClick={() => togglePanel("pins")}
            />
          </span>
          <IconButton
            icon={isGroup ? Users : CircleUser}
            label={isGroup ? t("panel.people") : t("panel.profile")}
            pressed={panel === "members"}
            tooltipSide="bottom"
            onClick={() => togglePanel("members")}
          />
          <Menu
            items={isPhone ? [pins, ...items] : items}
            trigger={<IconButton icon={Ellipsis} label={t("menu.more", { title })} />}
          />
        </>
      }
    />
  );
}
