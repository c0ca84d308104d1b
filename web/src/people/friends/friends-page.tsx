import { Check, Inbox, ShieldCheck, Undo2, UserRound, Users, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { FriendRequest, User } from "@fanfare/contract";
import { useBlocked, useMe } from "../../data/me.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState, Loaded } from "../../ui/feedback.tsx";
import { openClaimDialog } from "../../session/claim-banner.tsx";
import { SearchButton } from "../../search/search-button.tsx";
import { PageHeader } from "../../app/shell/page-header.tsx";
import { useFriendRequests, useIncomingRequests, useUsers } from "../../data/people.ts";
import { Rows } from "../../shared/paged-list.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { usePersonActions } from "../members/use-person-menu.ts";
import { AddFriend, FriendList, PersonLine } from "./friend-list.tsx";
import { CountBadge } from "../../ui/display.tsx";

export function FriendsPage() {
  const { t } = useTranslation("friends");
  const isAccount = useMe().kind === "member";
  return (
    <>
      <PageHeader icon={Users} title={t("title")} actions={<SearchButton />} />
      {isAccount ? <FriendTabs /> : <GuestNote />}
    </>
  );
}

function GuestNote() {
  const { t } = useTranslation("friends");
  return (
    <EmptyState
      icon={UserRound}
      title={t("guest")}
      text={t("guestText")}
      action={
        <Button variant="primary" onClick={openClaimDialog}>
          {t("session:newAccount")}
        </Button>
      }
    />
  );
}

type View = "online" | "all" | "pending" | "blocked";

function FriendTabs() {
  const { t } = useTranslation("friends");
  const [view, setView] = useState<View>("online");
  const incoming = useIncomingRequests().length;
  const pending = (
    <span className="flex items-center gap-1.5">
      {t("pending.tab")}
      <CountBadge count={incoming} label={t("requests", { count: incoming })} />
    </span>
  );
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 py-5 md:px-6">
      <div className="mx-auto grid max-w-3xl gap-5">
        <AddFriend />
        <Tabs
          label={t("title")}
          value={view}
          onChange={setView}
          tabs={[
            {
              value: "online",
              label: t("members:section.online"),
              content: <FriendList isOnline onShowAll={() => setView("all")} />,
            },
            {
              value: "all",
              label: t("all.tab"),
              content: <FriendList isOnline={false} onShowAll={() => setView("all")} />,
            },
            { value: "pending", label: pending, content: <RequestList /> },
            { value: "blocked", label: t("blocked.tab"), content: <BlockedList /> },
          ]}
        />
      </div>
    </div>
  );
}

function BlockedList() {
  const { t } = useTranslation("friends");
  return (
    <Rows
      of={useBlocked()}
      empty={<EmptyState icon={ShieldCheck} title={t("blocked.empty")} text={t("blocked.emptyText")} />}
    >
      {(user) => <Row key={user.id} user={user} />}
    </Rows>
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

function RequestList() {
  const { t } = useTranslation("friends");
  return (
    <Loaded of={useFriendRequests()}>
      {(requests) =>
        requests.length === 0 ? (
          <EmptyState icon={Inbox} title={t("pending.empty")} text={t("pending.emptyText")} />
        ) : (
          <div className="grid gap-5">
            <Part requests={requests} direction="incoming" />
            <Part requests={requests} direction="outgoing" />
          </div>
        )
      }
    </Loaded>
  );
}

interface PartProps {
  requests: readonly FriendRequest[];
  direction: FriendRequest["direction"];
}

function Part({ requests, direction }: PartProps) {
  const { t } = useTranslation("friends");
  const ids = requests.filter((request) => request.direction === direction).map(({ userId }) => userId);
  const users = useUsers(ids);
  if (ids.length === 0) return null;
  return (
    <section>
      <h2 className="px-2 pb-2 text-xs font-semibold text-muted">
        {t(`pending.${direction}`, { count: ids.length })}
      </h2>
      <ul className="grid gap-px">
        {users.map((user) => (
          <Request key={user.id} user={user} />
        ))}
      </ul>
    </section>
  );
}

function Request({ user }: { user: User }) {
  const { t } = useTranslation("friends");
  const { accept, decline, withdraw } = usePersonActions(user);
  const name = user.nickname;
  return (
    <PersonLine user={user}>
      {accept && (
        <Button
          size="sm"
          variant="primary"
          icon={Check}
          aria-label={t("pending.accept", { name })}
          onClick={accept}
        >
          <span className="max-md:sr-only">{t("members:action.accept")}</span>
        </Button>
      )}
      {decline && (
        <Button size="sm" icon={X} aria-label={t("pending.decline", { name })} onClick={decline}>
          <span className="max-md:sr-only">{t("members:action.decline")}</span>
        </Button>
      )}
      {withdraw && (
        <Button size="sm" icon={Undo2} aria-label={t("pending.withdraw", { name })} onClick={withdraw}>
          <span className="max-md:sr-only">{t("members:action.withdraw")}</span>
        </Button>
      )}
    </PersonLine>
  );
}
