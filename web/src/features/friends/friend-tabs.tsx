import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFriendRequests } from "../../data/friends.ts";
import { CountBadge } from "../../ui/count-badge.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { AddFriend } from "./add-friend.tsx";
import { BlockedList } from "./blocked-list.tsx";
import { FriendList } from "./friend-list.tsx";
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
