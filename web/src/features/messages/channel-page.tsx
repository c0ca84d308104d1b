import type { ChannelState, Group } from "@fanfare/contract";
import { Hash, Pin } from "lucide-react";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useSearch } from "wouter";
import { parsePlace, placePath } from "../../routes.ts";
import { openPanel, togglePanel, usePanels } from "../../state/panels.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { focusComposer } from "../composer/composer-id.ts";
import { Composer } from "../composer/composer.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { MessageList } from "./list/message-list.tsx";
import { PinsPanel } from "./pins/pins-panel.tsx";

interface ChannelPageProps {
  group: Group;
  channel: ChannelState;
}

/** A channel of a group: what is written in it, and where one writes. */
export function ChannelPage({ group, channel }: ChannelPageProps) {
  const { t } = useTranslation("messages");
  const panel = usePanels((state) => state.panel);
  const [, navigate] = useLocation();
  const place = parsePlace(useSearch());
  const { id: channelId, groupId } = channel;
  const { thread } = place;
  // Once it is shown the address is that of the channel again, so that the same link can be followed once more.
  const onJumped = useCallback(() => {
    navigate(placePath(groupId, channelId, thread === undefined ? {} : { thread }), { replace: true });
  }, [navigate, groupId, channelId, thread]);
  return (
    <>
      <PageHeader
        icon={Hash}
        title={channel.name}
        subtitle={channel.topic === "" ? t("home:memberCount", { count: group.memberCount }) : channel.topic}
        actions={
          <IconButton
            icon={Pin}
            label={t("pins.open")}
            pressed={panel === "pins"}
            tooltipSide="bottom"
            onClick={() => togglePanel("pins")}
          />
        }
      />
      <MessageList
        channel={channel}
        title={`#${channel.name}`}
        jumpToId={place.message}
        onJumped={onJumped}
        onLeave={() => focusComposer(channelId)}
      />
      <Composer channel={channel} title={`#${channel.name}`} />
      {panel === "pins" && <PinsPanel channel={channel} onClose={() => openPanel(null)} />}
    </>
  );
}
