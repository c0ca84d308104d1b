import type { Channel, Group } from "@fanfare/contract";
import { Files, Hash, type LucideIcon, MessageSquareText, Pin, Users, Volume2 } from "lucide-react";
import { useCallback, memo } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useSearch } from "wouter";
import { useStoreState } from "../../data/store.ts";
import { parsePlace, placePath } from "../../routes.ts";
import { openPanel, type Panel, togglePanel, usePanels } from "../../state/panels.ts";
import { IconButton } from "../../ui/button.tsx";
import { isPhone } from "../../ui/hooks.ts";
import { focusComposer } from "../../composer/field.ts";
import { CallArea, CallButtons } from "../../calls/call-area.tsx";
import { Composer } from "../../composer/composer.tsx";
import { SearchButton } from "../../search/search-button.tsx";
import { later } from "../../shared/later.tsx";
import { PageHeader } from "../../app/shell/page-header.tsx";
import { MessageList } from "./list/message-list.tsx";
import { ChannelPanels } from "./pins/channel-panels.tsx";

const MembersPanel = later(
  async () => (await import("../../people/members/panel/members-panel.tsx")).MembersPanel,
);
const ThreadsPanel = later(async () => (await import("../threads/threads-panel.tsx")).ThreadsPanel);
/** Use the thread's ID as the key. */
const ThreadPanel = later(async () => (await import("../threads/thread-panel.tsx")).ThreadPanel);

interface ChannelPageProps {
  group: Group;
  channel: Channel;
}

export const ChannelPage = memo(function ChannelPage({ group, channel }: ChannelPageProps) {
  const { t } = useTranslation("messages");
  const panel = usePanels((state) => state.panel);
  const [, navigate] = useLocation();
  const place = parsePlace(useSearch());
  const { id: channelId, groupId } = channel;
  // If there is a thread, the message is in it.
  const { thread, message } = place;
  // Its panel loads it.
  const opened = useStoreState(({ channels }) => channels[thread ?? ""]);
  const openThread = opened?.parentId === channelId ? `${opened.name || t("threads:title")} · ` : "";
  // Removes the message from the address, so that following the same link again works.
  const onJumped = useCallback(() => {
    navigate(placePath(groupId, channelId, thread === undefined ? {} : { thread }), { replace: true });
  }, [navigate, groupId, channelId, thread]);
  const closeThread = () => {
    const isFromHere = (history.state as { fromChannel?: true } | null)?.fromChannel === true;
    if (!isPhone() || !isFromHere) return navigate(placePath(groupId, channelId));
    // A second click doesn't go back twice.
    history.replaceState(null, "");
    history.back();
  };
  const shown = thread === undefined ? panel : null;
  const panelButton = (name: NonNullable<Panel>, icon: LucideIcon, label: string, count?: number) => (
    <IconButton
      icon={icon}
      label={label}
      {...(count !== undefined && { count })}
      pressed={shown === name}
      tooltipSide="bottom"
      onClick={() => {
        if (thread !== undefined) closeThread();
        if (thread === undefined || panel !== name) togglePanel(name);
      }}
    />
  );
  return (
    <>
      <PageHeader
        icon={channel.kind === "voice" ? Volume2 : Hash}
        title={channel.name}
        tabTitle={`${openThread}#${channel.name} · ${group.name}`}
        subtitle={channel.topic === "" ? undefined : channel.topic}
        actions={
          <>
            <CallButtons channel={channel} />
            <SearchButton />
            {panelButton("threads", MessageSquareText, t("threads:panel"))}
            {panelButton("pins", Pin, t("pins.title"))}
            {/* Phones have no room for it: it is in the panel of the pins. */}
            <span className="max-md:hidden">{panelButton("files", Files, t("files.title"))}</span>
            {panelButton("members", Users, t("common:members"), group.memberCount)}
          </>
        }
      />
      <CallArea channel={channel}>
        <MessageList
          channel={channel}
          title={`#${channel.name}`}
          jumpToId={thread === undefined ? message : undefined}
          onJumped={onJumped}
          onLeave={() => focusComposer(channelId)}
        />
        <Composer channel={channel} title={`#${channel.name}`} />
      </CallArea>
      <ChannelPanels channel={channel} panel={shown} onClose={() => openPanel(null)} />
      {shown === "members" && <MembersPanel group={group} onClose={() => openPanel(null)} />}
      {shown === "threads" && <ThreadsPanel channel={channel} onClose={() => openPanel(null)} />}
      {thread !== undefined && (
        <ThreadPanel
          key={thread}
          parent={channel}
          threadId={thread}
          jumpToId={message}
          onJumped={onJumped}
          onClose={closeThread}
        />
      )}
    </>
  );
});
