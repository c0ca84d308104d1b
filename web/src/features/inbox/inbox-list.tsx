import { BellOff, PartyPopper } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useInbox } from "../../data/inbox.ts";
import { errorText } from "../../shared/error-text.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { InboxEntry } from "./inbox-entry.tsx";

/** Mentions and answers, the newest first. */
export function InboxList({ onlyUnread }: { onlyUnread: boolean }) {
  const { t } = useTranslation("inbox");
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInbox();
  if (error !== null && data === undefined)
    return <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows withAvatar />;
  const items = onlyUnread ? data.filter(({ unread }) => unread) : data;
  return (
    <div className="grid gap-2 pt-3">
      {items.length === 0 && !hasNextPage && (
        <EmptyState
          icon={onlyUnread ? PartyPopper : BellOff}
          title={onlyUnread ? t("allRead") : t("empty")}
          text={onlyUnread ? t("allReadText") : t("emptyText")}
        />
      )}
      <ol className="grid gap-4">
        {items.map((item) => (
          <li key={item.message.id}>
            <InboxEntry item={item} />
          </li>
        ))}
      </ol>
      <ErrorNote
        text={error === null ? null : errorText(error)}
        onRetry={() => void (items.length === 0 ? refetch() : fetchNextPage())}
      />
      {hasNextPage && (
        <Button variant="ghost" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("showMore")}
        </Button>
      )}
    </div>
  );
}
