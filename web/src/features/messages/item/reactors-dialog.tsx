import type { Message } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useServerCache } from "../../../data/data-context.ts";
import { useUser } from "../../../data/users.ts";
import { errorText } from "../../../shared/error-text.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";

interface ReactorsDialogProps {
  message: Message;
  emoji: string;
  onClose: () => void;
}

/** Everybody who reacted with an emoji. */
export function ReactorsDialog({ message, emoji, onClose }: ReactorsDialogProps) {
  const { t } = useTranslation("messages");
  const cache = useServerCache();
  const { channelId, id: messageId } = message;
  const params = { channelId, messageId, emoji, limit: LIMITS.pageMaxItems };
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...cache.askPages("message.listReactors", params, "afterUserId", ({ nextUserId }) => nextUserId),
    staleTime: 0,
  });
  return (
    <Dialog open onClose={onClose} title={t("reaction.whoTitle", { emoji })} size="sm">
      <ul className="grid gap-1">
        {data?.pages.flatMap(({ userIds }) =>
          userIds.map((userId) => <Reactor key={userId} userId={userId} />),
        )}
      </ul>
      {data === undefined && error === null && <SkeletonRows count={3} withAvatar />}
      <ErrorNote text={error === null ? null : errorText(error)} onRetry={() => void refetch()} />
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("reaction.more")}
        </Button>
      )}
    </Dialog>
  );
}

function Reactor({ userId }: { userId: string }) {
  const user = useUser(userId);
  const name = user?.nickname ?? "…";
  return (
    <li className="flex min-h-row items-center gap-2.5">
      <Avatar name={name} id={userId} src={user?.avatarUrl} size={28} />
      <span className="truncate">{name}</span>
    </li>
  );
}
