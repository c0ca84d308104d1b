import type { User } from "@fanfare/contract";
import { MoonStar, UserPlus, Users, Ellipsis, MessageCircle } from "lucide-react";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFriends, useUsers } from "../../data/people.ts";
import { useStatus } from "../../data/presence.ts";
import { errorText } from "../../shared/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { ContextMenu, Menu } from "../../ui/menu.tsx";
import { EmptyState, ErrorNote, SkeletonRows } from "../../ui/feedback.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { useOpenDirect } from "../directs/use-open-direct.ts";
import { StatusLine } from "../members/status-line.tsx";
import { usePersonMenu } from "../members/use-person-menu.ts";
import { useStatuses } from "../members/use-statuses.ts";
import { ADD_FRIEND_ID } from "./add-friend.tsx";
import { PersonLine } from "./person-line.tsx";

/** Of so many it is heard how they are: a client watches 500, and the lists beside this are to have some. */
const MAX_WATCHED = 400;
/** So many are shown at first, and more at once then. */
const STEP = 100;

interface FriendListProps {
  /** Only those who are there now. */
  isOnline: boolean;
  onShowAll: () => void;
}

export function FriendList({ isOnline, onShowAll }: FriendListProps) {
  const { t, i18n } = useTranslation("friends");
  const { data: friends, error, refetch } = useFriends();
  const ids = useMemo(() => friends?.map(({ userId }) => userId) ?? [], [friends]);
  const watched = useMemo(() => ids.slice(0, MAX_WATCHED), [ids]);
  const [max, setMax] = useState(STEP);
  const users = useUsers(ids);
  const statuses = useStatuses(watched);
  if (friends === undefined) {
    if (error === null) return <SkeletonRows withAvatar />;
    return <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />;
  }
  if (friends.length === 0) {
    return (
      <EmptyState
        icon={Users}
        title={t("all.empty")}
        text={t("all.emptyText")}
        action={
          <Button
            icon={<UserPlus size={16} aria-hidden />}
            onClick={() => document.getElementById(ADD_FRIEND_ID)?.focus()}
          >
            {t("all.add")}
          </Button>
        }
      />
    );
  }
  const isHere = ({ id }: User): boolean => (statuses.get(id) ?? "offline") !== "offline";
  const compare = new Intl.Collator(i18n.language).compare;
  const shown = users
    .filter((user) => !isOnline || isHere(user))
    .toSorted((a, b) => compare(a.nickname, b.nickname));
  if (shown.length === 0) {
    if (users.length === 0) return <SkeletonRows withAvatar />;
    return (
      <EmptyState
        icon={MoonStar}
        title={t("online.empty")}
        text={t("online.emptyText")}
        action={<Button onClick={onShowAll}>{t("online.showAll")}</Button>}
      />
    );
  }
  return (
    <>
      <p className="px-2 pb-2 text-xs font-semibold text-muted">
        {isOnline ? t("online.count", { count: shown.length }) : t("all.count", { count: shown.length })}
      </p>
      <ul className="grid gap-px">
        {shown.slice(0, max).map((user) => (
          <FriendRow key={user.id} user={user} />
        ))}
      </ul>
      {shown.length > max && (
        <div className="flex justify-center pt-3">
          <Button onClick={() => setMax(max + STEP)}>{t("all.more")}</Button>
        </div>
      )}
    </>
  );
}

/** A friend: how they are, and the way to talk. */
function FriendRow({ user }: { user: User }) {
  const { t } = useTranslation("friends");
  const openDirect = useOpenDirect();
  const status = useStatus(user.id);
  const items = usePersonMenu(user);
  return (
    <ContextMenu items={items}>
      <PersonLine
        user={user}
        status={status}
        subtitle={status === undefined ? undefined : <StatusLine status={status} />}
      >
        <IconButton
          icon={MessageCircle}
          label={t("members:messageTo", { name: user.nickname })}
          onClick={() => void openDirect(user.id)}
        />
        <Menu
          items={items}
          trigger={<IconButton icon={Ellipsis} label={t("members:more", { name: user.nickname })} />}
        />
      </PersonLine>
    </ContextMenu>
  );
}
