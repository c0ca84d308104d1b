import type { Channel, ChannelState } from "@fanfare/contract";
import { MessageSquareText } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useThreads } from "../../data/channel-messages.ts";
import { useUser } from "../../data/people.ts";
import { placePath } from "../../routes.ts";
import { CountBadge, ListRow } from "../../ui/display.tsx";
import { EmptyState, SkeletonRows } from "../../ui/feedback.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { SidePanel } from "../../app/shell/side-panel.tsx";
import { PagedRows } from "../../shared/paged-list.tsx";

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
      {(thread) => <ThreadRow key={thread.id} channel={channel} thread={thread} />}
    </PagedRows>
  );
}

function ThreadRow({ channel, thread }: { channel: Channel; thread: ChannelState }) {
  const { t } = useTranslation("threads");
  const [, navigate] = useLocation();
  const owner = useUser(thread.ownerId);
  const unread = unreadReplies(thread);
  return (
    <ListRow
      leading={<MessageSquareText size={18} aria-hidden className="shrink-0 text-muted" />}
      title={thread.name || t("title")}
      subtitle={
        <>
          {t("replies", { count: thread.head.seq })}
          {owner !== undefined && ` · ${owner.nickname}`}
        </>
      }
      trailing={<CountBadge count={unread} label={t("unread", { count: unread })} tone="neutral" />}
      onClick={() => navigate(placePath(channel.groupId, channel.id, { thread: thread.id }))}
    />
  );
}

/** Unread replies of a thread that the user has opened; 0 for other threads. */
export function unreadReplies({ head, lastReadSeq }: Pick<ChannelState, "head" | "lastReadSeq">): number {
  return lastReadSeq === 0 ? 0 : Math.max(0, head.seq - lastReadSeq);
}
