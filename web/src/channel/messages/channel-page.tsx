import type { ChannelState, Group } from "@fanfare/contract";
import { Hash, MessageSquareText, Pin, Users } from "lucide-react";
import { useCallback, type ComponentProps, lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useSearch } from "wouter";
import { parsePlace, placePath } from "../../routes.ts";
import { openPanel, togglePanel, usePanels } from "../../state/panels.ts";
import { IconButton } from "../../ui/button.tsx";
import { focusComposer } from "../../composer/use-editor.ts";
import { Composer } from "../../composer/composer.tsx";
import { MembersPanel } from "../../people/members/panel/members-panel.tsx";
import { SearchButton } from "../../search/search-button.tsx";
import { PageHeader } from "../../app/shell/page-header.tsx";
import { MessageList } from "./list/message-list.tsx";
import { PinsPanel } from "./pins/pins-panel.tsx";

interface ChannelPageProps {
  group: Group;
  channel: ChannelState;
}

export function ChannelPage({ group, channel }: ChannelPageProps) {
  const { t } = useTranslation("messages");
  const panel = usePanels((state) => state.panel);
  const [, navigate] = useLocation();
  const place = parsePlace(useSearch());
  const { id: channelId, groupId } = channel;
  // If there is a thread, the message is in it.
  const { thread, message } = place;
  // Removes the message from the address, so that following the same link again works.
  const onJumped = useCallback(() => {
    navigate(placePath(groupId, channelId, thread === undefined ? {} : { thread }), { replace: true });
  }, [navigate, groupId, channelId, thread]);
  const closeThread = () => navigate(placePath(groupId, channelId));
  const shown = thread === undefined ? panel : null;
  const toggle = (name: "members" | "pins" | "threads") => {
    if (thread !== undefined) closeThread();
    if (thread === undefined || panel !== name) togglePanel(name);
  };
  return (
    <>
      <PageHeader
        icon={Hash}
        title={channel.name}
        tabTitle={`#${channel.name} · ${group.name}`}
        subtitle={channel.topic === "" ? undefined : channel.topic}
        actions={
          <>
            <SearchButton />
            <IconButton
              icon={MessageSquareText}
              label={t("threads:open")}
              pressed={shown === "threads"}
              tooltipSide="bottom"
              onClick={() => toggle("threads")}
            />
            <IconButton
              icon={Pin}
              label={t("pins.open")}
              pressed={shown === "pins"}
              tooltipSide="bottom"
              onClick={() => toggle("pins")}
            />
            <IconButton
              icon={Users}
              label={t("members:panel.title")}
              count={group.memberCount}
              pressed={shown === "members"}
              tooltipSide="bottom"
              onClick={() => toggle("members")}
            />
          </>
        }
      />
      <MessageList
        channel={channel}
        title={`#${channel.name}`}
        jumpToId={thread === undefined ? message : undefined}
        onJumped={onJumped}
        onLeave={() => focusComposer(channelId)}
      />
      <Composer channel={channel} title={`#${channel.name}`} />
      {shown === "pins" && <PinsPanel channel={channel} onClose={() => openPanel(null)} />}
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
}

const LazyThread = lazy(async () => ({ default: (await import("../threads/thread-panel.tsx")).ThreadPanel }));
const LazyThreads = lazy(async () => ({
  default: (await import("../threads/threads-panel.tsx")).ThreadsPanel,
}));

/** Loaded when the first thread is opened. Use the thread's ID as the key. */
function ThreadPanel(props: ComponentProps<typeof LazyThread>) {
  return (
    <Suspense fallback={null}>
      <LazyThread {...props} />
    </Suspense>
  );
}

function ThreadsPanel(props: ComponentProps<typeof LazyThreads>) {
  return (
    <Suspense fallback={null}>
      <LazyThreads {...props} />
    </Suspense>
  );
}
