import type { Channel } from "@fanfare/contract";
import { MessageSquareX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useChannelState } from "../../data/channels.ts";
import { errorText } from "../../shared/error-text.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { focusComposer } from "../composer/composer-id.ts";
import { Composer } from "../composer/composer.tsx";
import { MessageList, type MessageListProps } from "../messages/list/message-list.tsx";
import { SidePanel } from "../shell/side-panel.tsx";
import { ArchivedNote } from "./archived-note.tsx";
import { RootMessage } from "./root-message.tsx";
import { ThreadMenu } from "./thread-menu.tsx";

interface ThreadPanelProps extends Pick<MessageListProps, "jumpToId" | "onJumped" | "onUser"> {
  /** The channel that the thread belongs to. */
  parent: Channel;
  threadId: string;
  onClose: () => void;
}

/** A thread, at the right of its channel. Give it the thread's id as its key. */
export function ThreadPanel({ parent, threadId, onClose, ...list }: ThreadPanelProps) {
  const { t } = useTranslation("threads");
  const { data: thread, error, refetch } = useChannelState(threadId);
  const title = thread?.name || t("title");
  const isHere = thread?.parentId === parent.id;
  return (
    <SidePanel title={title} actions={isHere && <ThreadMenu thread={thread} />} onClose={onClose}>
      {thread === undefined && error === null && <SkeletonRows withAvatar />}
      {thread === undefined && error !== null && (
        <div className="p-4">
          <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />
        </div>
      )}
      {thread !== undefined && !isHere && (
        <EmptyState icon={MessageSquareX} title={t("gone.title")} text={t("gone.text")} />
      )}
      {isHere && (
        <>
          <RootMessage parent={parent} thread={thread} />
          <MessageList channel={thread} title={title} onLeave={() => focusComposer(thread.id)} {...list} />
          <ArchivedNote thread={thread} />
          <Composer channel={thread} title={title} />
        </>
      )}
    </SidePanel>
  );
}
