import type { Channel, ChannelState, Message } from "@fanfare/contract";
import { MessageSquareText } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useThreads } from "../../data/channel-messages.ts";
import { placePath } from "../../routes.ts";
import { EmptyState, SkeletonRows } from "../../ui/feedback.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { SidePanel } from "../../app/shell/side-panel.tsx";
import { MentionsProvider } from "../messages/item/message-card.tsx";
import { useAuthor } from "../messages/item/use-author.ts";
import { MessagePreview } from "../messages/item/message-preview.tsx";
import { dayAndTime } from "../../shared/times.ts";
import { Faces, useThreadActivity } from "./thread-activity.tsx";
import { PagedRows } from "../../shared/paged-list.tsx";
import { CountBadge } from "../../ui/display.tsx";

export function ThreadsPanel({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("threads");
  const [tab, setTab] = useState<"active" | "archived">("active");
  return (
    <SidePanel title={t("panel")} onClose={onClose}>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto p-2">
        <Tabs
          label={t("panel")}
          value={tab}
          onChange={setTab}
          tabs={[
            {
              value: "active",
              label: t("active"),
              content: <ThreadList channel={channel} archived={false} />,
            },
            {
              value: "archived",
              label: t("archivedTab"),
              content: <ThreadList channel={channel} archived />,
            },
          ]}
        />
      </div>
    </SidePanel>
  );
}

function ThreadList({ channel, archived }: { channel: Channel; archived: boolean }) {
  const { t } = useTranslation("threads");
  const pages = useThreads(channel.id, archived);
  const empty = archived
    ? { title: t("empty.archived") }
    : { title: t("empty.active"), text: t("empty.text") };
  return (
    <PagedRows
      pages={pages}
      className="grid gap-0.5"
      placeholder={<SkeletonRows />}
      empty={<EmptyState icon={MessageSquareText} {...empty} />}
    >
      {(thread) => <ThreadRow key={thread.id} thread={thread} unread={unreadReplies(thread)} />}
    </PagedRows>
  );
}

interface ThreadRowProps {
  thread: ChannelState;
  /** Unread replies. */
  unread: number;
  /** Above the name. */
  place?: string;
}

export function ThreadRow({ thread, unread, place }: ThreadRowProps) {
  const { t } = useTranslation("threads");
  const [, navigate] = useLocation();
  const { last, userIds } = useThreadActivity(thread);
  const { id, groupId, parentId } = thread;
  const state = place === undefined ? { fromChannel: true } : null;
  return (
    <li>
      <button
        type="button"
        className="grid w-full gap-1 rounded-md px-3 py-2.5 text-start -outline-offset-2 transition-colors hover:bg-hover"
        onClick={() => navigate(placePath(groupId, parentId ?? id, { thread: id }), { state })}
      >
        {place !== undefined && <span className="truncate text-xs text-muted">{place}</span>}
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate font-semibold">{thread.name || t("title")}</span>
          <CountBadge count={unread} label={t("unread", { count: unread })} tone="neutral" />
        </span>
        {last !== undefined && <LastReply message={last} groupId={groupId} />}
        <span className="flex min-h-5 items-center gap-2 pt-0.5 text-xs text-muted">
          <Faces userIds={userIds} groupId={groupId} />
          <span>{t("replies", { count: thread.head.seq })}</span>
          {last !== undefined && <span className="ms-auto shrink-0">{dayAndTime(last.createdAt)}</span>}
        </span>
      </button>
    </li>
  );
}

function LastReply({ message, groupId }: { message: Message; groupId: string | null }) {
  const { name } = useAuthor(message);
  return (
    <span className="line-clamp-2 text-sm text-muted">
      <span className="font-medium text-text">{name}</span>{" "}
      <MentionsProvider groupId={groupId}>
        <MessagePreview message={message} />
      </MentionsProvider>
    </span>
  );
}

/** Unread replies of a thread that the user has opened; 0 for other threads. */
export function unreadReplies({ head, lastReadSeq }: Pick<ChannelState, "head" | "lastReadSeq">): number {
  return lastReadSeq === 0 ? 0 : Math.max(0, head.seq - lastReadSeq);
}
