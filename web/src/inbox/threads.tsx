import type { ChannelState } from "@fanfare/contract";
import { MessageSquareText } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ThreadRow } from "../channel/threads/threads-panel.tsx";
import { useFollowedThreads } from "../data/channel-messages.ts";
import { useChannelState, useGroup } from "../data/groups.ts";
import { useChannelUnread } from "../data/inbox.ts";
import { PagedRows } from "../shared/paged-list.tsx";
import { EmptyState, SkeletonRows } from "../ui/feedback.tsx";

/** The threads that the user follows, in all groups. */
export function FollowedThreads() {
  const { t } = useTranslation("inbox");
  return (
    <PagedRows
      pages={useFollowedThreads()}
      label={t("tab.threads")}
      className="grid gap-1"
      placeholder={<SkeletonRows />}
      empty={<EmptyState icon={MessageSquareText} title={t("threads.empty")} text={t("threads.emptyText")} />}
      endless
    >
      {(thread) => <FollowedThread key={thread.id} thread={thread} />}
    </PagedRows>
  );
}

function FollowedThread({ thread }: { thread: ChannelState }) {
  const group = useGroup(thread.groupId ?? "");
  const { data: parent } = useChannelState(thread.parentId ?? thread.id);
  const unread = useChannelUnread(thread.id, ({ messages }) => messages);
  const place = [group?.name, parent && `#${parent.name}`].filter(Boolean).join(" · ");
  return <ThreadRow thread={thread} unread={unread} place={place} />;
}
