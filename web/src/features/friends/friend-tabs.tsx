import type { User } from "@fanfare/contract";
import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useBlocked } from "../../data/account.ts";
import { useFriendRequests } from "../../data/friends.ts";
import { errorText } from "../../shared/error-text.ts";
import { Button } from "../../ui/button.tsx";
import { CountBadge } from "../../ui/count-badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { usePersonActions } from "../members/use-person-actions.ts";
import { AddFriend } from "./add-friend.tsx";
import { FriendList } from "./friend-list.tsx";
import { PersonLine } from "./person-line.tsx";
import { RequestList } from "./request-list.tsx";

type View = "online" | "all" | "pending" | "blocked";

/** A name to ask, then the lists. */
export function FriendTabs() {
  const { t } = useTranslation("friends");
  const [view, setView] = useState<View>("online");
  const { data: requests } = useFriendRequests();
  const incoming = requests?.filter(({ direction }) => direction === "incoming").length ?? 0;
  const pending = (
    <span className="flex items-center gap-1.5">
      {t("pending.tab")}
      <CountBadge count={incoming} label={t("requests", { count: incoming })} />
    </span>
  );
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 py-5 md:px-6">
      <div className="grid max-w-3xl gap-5">
        <AddFriend />
        <Tabs
          label={t("title")}
          value={view}
          onChange={setView}
          tabs={[
            {
              value: "online",
              label: t("online.tab"),
              content: <FriendList isOnline onShowAll={() => setView("all")} />,
            },
            {
              value: "all",
              label: t("all.tab"),
              content: <FriendList isOnline={false} onShowAll={() => setView("all")} />,
            },
            { value: "pending", label: pending, content: <RequestList requests={requests} /> },
            { value: "blocked", label: t("blocked.tab"), content: <BlockedList /> },
          ]}
        />
      </div>
    </div>
  );
}

/** Whom the user has blocked. */
function BlockedList() {
  const { t } = useTranslation("friends");
  const { data: blocked, error, refetch } = useBlocked();
  if (blocked === undefined) {
    if (error === null) return <SkeletonRows withAvatar />;
    return <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />;
  }
  if (blocked.length === 0) {
    return <EmptyState icon={ShieldCheck} title={t("blocked.empty")} text={t("blocked.emptyText")} />;
  }
  return (
    <ul className="grid gap-px">
      {blocked.map((user) => (
        <Row key={user.id} user={user} />
      ))}
    </ul>
  );
}

function Row({ user }: { user: User }) {
  const { t } = useTranslation("friends");
  const { unblock } = usePersonActions(user);
  return (
    <PersonLine user={user}>
      <Button size="sm" aria-label={t("blocked.unblock", { name: user.nickname })} onClick={unblock}>
        {t("members:action.unblock")}
      </Button>
    </PersonLine>
  );
}
