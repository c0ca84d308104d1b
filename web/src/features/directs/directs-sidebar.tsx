import { MessageCirclePlus, MessagesSquare, Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { useDirects } from "../../data/directs.ts";
import { useFriendRequests } from "../../data/friends.ts";
import { useMe } from "../../data/me.ts";
import { directPath } from "../../routes.ts";
import { errorText } from "../../shared/error-text.ts";
import { Button } from "../../ui/button.tsx";
import { CountBadge } from "../../ui/count-badge.tsx";
import { cx } from "../../ui/cx.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import type { DirectDialog } from "./direct-dialog.ts";
import { DirectDialogs } from "./direct-dialogs.tsx";
import { DirectRow } from "./direct-row.tsx";

/** The friends, and whom one talks with: those in which something was written last first. */
export function DirectsSidebar() {
  const { t } = useTranslation("directs");
  const [path] = useLocation();
  const [dialog, setDialog] = useState<DirectDialog | null>(null);
  const { data: directs, error, refetch } = useDirects();
  const isAccount = useMe().kind === "member";
  const { data: requests } = useFriendRequests({ enabled: isAccount });
  const incoming = requests?.filter(({ direction }) => direction === "incoming").length ?? 0;
  const create = () => setDialog({ kind: "create", userIds: [] });
  // Guests find nobody by name: they can choose only among those they talk with already.
  const mayChoose = isAccount || (directs !== undefined && directs.length > 0);
  const isAtFriends = path === directPath();
  return (
    <>
      <header className="flex min-h-13 shrink-0 items-center gap-1 border-b border-line pr-2 pl-4">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{t("title")}</h2>
        {mayChoose && (
          <IconButton
            icon={MessageCirclePlus}
            label={t("create.title")}
            tooltipSide="bottom"
            onClick={create}
          />
        )}
      </header>
      <nav aria-label={t("title")} className="flex min-h-0 flex-1 flex-col overflow-y-auto px-2 py-3">
        <Link
          href={directPath()}
          aria-current={isAtFriends ? "page" : undefined}
          className={cx(
            "flex min-h-control shrink-0 items-center gap-2.5 rounded-md px-2.5 font-medium -outline-offset-2",
            isAtFriends ? "bg-selected text-text" : "text-muted hover:bg-hover hover:text-text",
          )}
        >
          <Users size={20} aria-hidden className="shrink-0" />
          <span className="min-w-0 flex-1 truncate">{t("friends:title")}</span>
          <CountBadge count={incoming} label={t("friends:requests", { count: incoming })} />
        </Link>
        <hr className="mx-2 my-2 border-line" />
        {directs === undefined && error === null && <SkeletonRows withAvatar />}
        {directs === undefined && error !== null && (
          <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />
        )}
        {directs?.length === 0 && (
          <EmptyState
            icon={MessagesSquare}
            title={t("empty")}
            text={t("emptyText")}
            action={
              mayChoose && (
                <Button size="sm" icon={<MessageCirclePlus size={16} aria-hidden />} onClick={create}>
                  {t("create.title")}
                </Button>
              )
            }
          />
        )}
        <ul className="grid gap-px">
          {directs?.map((channel) => (
            <DirectRow
              key={channel.id}
              channel={channel}
              isActive={path === directPath(channel.id)}
              onOpen={setDialog}
            />
          ))}
        </ul>
      </nav>
      {dialog !== null && <DirectDialogs dialog={dialog} onClose={() => setDialog(null)} />}
    </>
  );
}
