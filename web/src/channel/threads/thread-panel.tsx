import type { Channel } from "@fanfare/contract";
import {
  Archive,
  ArchiveRestore,
  ArrowUpLeft,
  Bell,
  BellOff,
  Ellipsis,
  Link,
  MessageSquareX,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCanInChannel, useChannelState } from "../../data/groups.ts";
import { useMessage } from "../../data/channel-messages.ts";
import { useNotificationSetting } from "../../data/inbox.ts";
import { placePath } from "../../routes.ts";
import { copyAndSay } from "../../shared/copy.ts";
import { useAction } from "../../shared/use-action.ts";
import { useNow } from "../../shared/hooks.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState, SkeletonRows, showFailure, Pending } from "../../ui/feedback.tsx";
import { Menu, type MenuList } from "../../ui/menu.tsx";
import { FOREVER, isMutedNow } from "../../groups/channels/mute.ts";
import { focusComposer } from "../../composer/field.ts";
import { Composer } from "../../composer/composer.tsx";
import { MentionsProvider, MessageCard } from "../messages/item/message-card.tsx";
import { MessageList, type MessageListProps } from "../messages/list/message-list.tsx";
import { SidePanel } from "../../app/shell/side-panel.tsx";
import { useMe } from "../../data/me.ts";
import { useCall } from "../../data/call.ts";

interface ThreadPanelProps extends Pick<MessageListProps, "jumpToId" | "onJumped"> {
  parent: Channel;
  threadId: string;
  onClose: () => void;
}

/** The thread next to its channel. Use the thread's ID as the key. */
export function ThreadPanel({ parent, threadId, onClose, ...list }: ThreadPanelProps) {
  const { t } = useTranslation("threads");
  const query = useChannelState(threadId);
  const { data: thread, error } = query;
  const title = thread?.name || t("title");
  const isHere = thread?.parentId === parent.id;
  return (
    <SidePanel title={title} actions={isHere && <ThreadMenu thread={thread} />} isPlace onClose={onClose}>
      {thread === undefined && error === null && <SkeletonRows withAvatar />}
      {thread === undefined && error !== null && (
        <div className="p-4">
          <Pending of={query} />
        </div>
      )}
      {thread !== undefined && !isHere && (
        <EmptyState icon={MessageSquareX} title={t("notFound.title")} text={t("notFound.text")} />
      )}
      {isHere && (
        <>
          {thread.rootMessageId !== null && <RootMessage parent={parent} messageId={thread.rootMessageId} />}
          <MessageList channel={thread} title={title} onLeave={() => focusComposer(thread.id)} {...list} />
          <ArchivedNote thread={thread} />
          <Composer channel={thread} title={title} />
        </>
      )}
    </SidePanel>
  );
}

function ArchivedNote({ thread }: { thread: Channel }) {
  const { t } = useTranslation("threads");
  const { isArchived, canChange, isBusy, toggle } = useArchive(thread);
  if (!isArchived) return null;
  return (
    <div className="mx-3 mb-2 flex shrink-0 items-center gap-2 rounded-md bg-sidebar px-3 py-2 text-sm text-muted md:mx-5">
      <Archive size={16} aria-hidden className="shrink-0" />
      <p className="flex-1">{t("archived.note")}</p>
      {canChange && (
        <Button size="sm" busy={isBusy} onClick={toggle}>
          {t("archived.undo")}
        </Button>
      )}
    </div>
  );
}

function RootMessage({ parent, messageId }: { parent: Channel; messageId: string }) {
  const { t } = useTranslation("threads");
  const [, navigate] = useLocation();
  const { data: message, isError } = useMessage(parent.id, messageId);
  const jump = () => navigate(placePath(parent.groupId, parent.id, { message: messageId }));
  const isGone = isError || (message !== undefined && message.deletedAt !== null);
  if (isGone)
    return (
      <p className="border-b border-line px-4 py-2 text-sm text-muted italic">
        {t("messages:reply.deleted")}
      </p>
    );
  if (message === undefined) return null;
  return (
    <div className="max-h-[30%] shrink-0 overflow-y-auto border-b border-line p-2">
      <MentionsProvider groupId={parent.groupId}>
        <MessageCard
          message={message}
          actions={<IconButton icon={ArrowUpLeft} size="sm" label={t("messages:pins.jump")} onClick={jump} />}
        />
      </MentionsProvider>
    </div>
  );
}

function ThreadMenu({ thread }: { thread: Channel }) {
  const { t } = useTranslation("threads");
  const nowMs = useNow();
  const call = useCall();
  const isMuted = isMutedNow(useNotificationSetting({ channelId: thread.id }), nowMs);
  const { isArchived, canChange, toggle } = useArchive(thread);
  const copyLink = () => {
    const path = placePath(thread.groupId, thread.parentId ?? thread.id, { thread: thread.id });
    void copyAndSay(location.origin + path, t("common:linkCopied"));
  };
  const toggleMute = () => {
    const until = isMuted ? null : FOREVER;
    call("notification.set", { channelId: thread.id, mutedUntil: until }).catch(showFailure);
  };
  const items: MenuList = [
    { label: t("common:copyLink"), icon: Link, onSelect: copyLink },
    { label: isMuted ? t("unmute") : t("mute"), icon: isMuted ? Bell : BellOff, onSelect: toggleMute },
    canChange && "separator",
    canChange && {
      label: isArchived ? t("archived.undo") : t("archive"),
      icon: isArchived ? ArchiveRestore : Archive,
      onSelect: toggle,
    },
  ];
  return <Menu trigger={<IconButton icon={Ellipsis} label={t("more")} tooltipSide="left" />} items={items} />;
}

export interface Archive {
  /** True for the user who started the thread and those with "Manage channels". */
  canChange: boolean;
  isArchived: boolean;
  isBusy: boolean;
  toggle: () => void;
}

export function useArchive(thread: Channel): Archive {
  const me = useMe();
  const managesChannels = useCanInChannel(thread, "manageChannels");
  const call = useCall();
  const { busy, run } = useAction();
  const isArchived = thread.archivedAt !== null;
  const change = () =>
    call(isArchived ? "channel.unarchiveThread" : "channel.archiveThread", { channelId: thread.id });
  return {
    canChange: thread.ownerId === me.id || managesChannels,
    isArchived,
    isBusy: busy,
    toggle: () => void run(() => change().catch(showFailure)),
  };
}
