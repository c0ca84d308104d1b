import type { Call, InboxItem, FriendRequest } from "@fanfare/contract";
import {
  Bell,
  BellOff,
  Check,
  CheckCheck,
  Ellipsis,
  Inbox,
  PartyPopper,
  SearchX,
  Trash2,
} from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../data/call.ts";
import { useDueCount, useInbox, useScheduled } from "../data/inbox.ts";
import { useMe } from "../data/me.ts";
import { settingsPath } from "../routes.ts";
import { useAction } from "../shared/use-action.ts";
import { dotted } from "../shared/formats.ts";
import { PagedRows } from "../shared/paged-list.tsx";
import { Badge, Avatar } from "../ui/display.tsx";
import { ListRow } from "../ui/list-row.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { openConfirm } from "../ui/open-dialog.tsx";
import { Segments } from "../ui/choices.tsx";
import { EmptyState, ErrorNote, showFailure } from "../ui/feedback.tsx";
import { Menu } from "../ui/menu.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { SearchButton } from "../search/search-button.tsx";
import { PageBody, PageHeader } from "../app/shell/page-header.tsx";
import { SavedList, ScheduledList, FollowedThreads } from "./inbox-tabs.tsx";
import { Entries, MessageEntry } from "./message-entry.tsx";
import { type Kind, useInboxStore, useInboxView, useReturn } from "./inbox-view.ts";
import { useUnreadThreadCount } from "./notifications/unmuted-unread.ts";
import { reasonOf } from "./use-message-place.ts";
import { useIncomingRequests } from "../data/people.ts";
import { usePerson } from "../people/members/user-name.tsx";

export function InboxPage() {
  const { t } = useTranslation("inbox");
  const call = useCall();
  const [, navigate] = useLocation();
  const { error, busy, run } = useAction();
  const store = useInboxStore();
  const tab = useInboxView((view) => view.tab);
  const body = useReturn();
  const { data: items = [], hasNextPage } = useInbox();
  // The unread count can be ahead of the list, and only listed items are marked as read.
  const isUnread = items.some(({ unread }) => unread) || hasNextPage;
  const newestId = items[0]?.message.id;
  const due = useDueCount();
  const scheduled = useScheduled();
  const threads = useUnreadThreadCount();
  const clear = () =>
    openConfirm({
      danger: true,
      title: t("clearTitle"),
      children: t("clearText"),
      action: t("clear"),
      onConfirm: () => call("inbox.clear", { messageId: newestId! }),
    });
  return (
    <>
      <PageHeader
        icon={Inbox}
        title={t("title")}
        actions={
          <>
            <SearchButton />
            <Button
              size="sm"
              busy={busy}
              disabled={!isUnread}
              icon={CheckCheck}
              className="max-md:min-w-control"
              onClick={() => void run(() => call("inbox.markRead", { messageId: newestId! }))}
            >
              {/* Phones have room for the title or for this. */}
              <span className="max-md:sr-only">{t("common:markRead")}</span>
            </Button>
            <Menu
              align="end"
              trigger={<IconButton icon={Ellipsis} label={t("common:more")} tooltipSide="bottom" />}
              items={[
                {
                  label: t("markEverything"),
                  icon: CheckCheck,
                  onSelect: () => void run(() => markEverythingRead(call)),
                },
                {
                  label: t("settings"),
                  icon: Bell,
                  onSelect: () => navigate(settingsPath("notifications")),
                },
                "separator",
                {
                  label: t("clear"),
                  icon: Trash2,
                  danger: true,
                  disabled: newestId === undefined,
                  onSelect: clear,
                },
              ]}
            />
          </>
        }
      />
      <PageBody ref={body}>
        <ErrorNote text={error} />
        <RequestList />
        <Tabs
          label={t("title")}
          value={tab}
          onChange={(next) => store.setState({ tab: next })}
          tabs={[
            { value: "unread", label: t("tab.unread"), content: <InboxList onlyUnread /> },
            { value: "all", label: t("tab.all"), content: <InboxList onlyUnread={false} /> },
            {
              value: "threads",
              label: threads === 0 ? t("tab.threads") : t("tab.threadsUnread", { count: threads }),
              content: <FollowedThreads />,
            },
            ...(scheduled.length === 0
              ? []
              : [
                  {
                    value: "scheduled",
                    label: t("tab.scheduled"),
                    content: <ScheduledList scheduled={scheduled} />,
                  },
                ]),
            {
              value: "saved",
              label: due === 0 ? t("tab.saved") : t("tab.savedDue", { count: due }),
              content: <SavedList />,
            },
          ]}
        />
      </PageBody>
    </>
  );
}

/** Marks all channels and the inbox as read. The server does this in pages. */
async function markEverythingRead(call: Call): Promise<void> {
  let cursor: string | null = null;
  do {
    const response: { nextCursor: string | null } = await call(
      "inbox.markAllRead",
      cursor === null ? {} : { cursor },
    );
    cursor = response.nextCursor;
  } while (cursor !== null);
}

const KINDS: Record<Kind, readonly ReturnType<typeof reasonOf>[] | null> = {
  everything: null,
  mentions: ["mention", "role", "everyone"],
  replies: ["reply"],
};

function InboxList({ onlyUnread }: { onlyUnread: boolean }) {
  const { t } = useTranslation("inbox");
  const me = useMe();
  const pages = useInbox();
  const store = useInboxStore();
  const kind = useInboxView((view) => view.kind);
  const replies = useInboxView((view) => view.replies);
  const replyingTo = useInboxView((view) => view.replyingTo);
  const { data } = pages;
  // What the user replies to can be read meanwhile, but stays until the page is left.
  const isListed = ({ unread, message: { id } }: InboxItem) =>
    unread || replies[id] !== undefined || id === replyingTo;
  const listed = onlyUnread ? data?.filter(isListed) : data;
  const wanted = KINDS[kind];
  const shown =
    wanted === null ? listed : listed?.filter(({ message }) => wanted.includes(reasonOf(message, me.id)));
  return (
    <div className="grid gap-3 pt-1">
      {listed !== undefined && listed.length > 0 && (
        <div className="w-80 max-w-full">
          <Segments<Kind>
            label={t("kind.label")}
            value={kind}
            onChange={(next) => store.setState({ kind: next })}
            options={[
              { value: "everything", label: t("tab.all") },
              { value: "mentions", label: t("kind.mentions") },
              { value: "replies", label: t("kind.replies") },
            ]}
          />
        </div>
      )}
      <Entries>
        <PagedRows
          pages={{ ...pages, data: shown }}
          className="grid gap-4"
          empty={
            listed?.length !== 0 ? (
              <EmptyState icon={SearchX} title={t("search:none")} />
            ) : (
              <EmptyState
                icon={onlyUnread ? PartyPopper : BellOff}
                title={onlyUnread ? t("allRead") : t("empty")}
                text={onlyUnread ? t("allReadText") : t("emptyText")}
              />
            )
          }
        >
          {(item) => (
            <li key={item.message.id}>
              <InboxEntry item={item} />
            </li>
          )}
        </PagedRows>
      </Entries>
    </div>
  );
}

function InboxEntry({ item }: { item: InboxItem }) {
  const { t } = useTranslation("inbox");
  const { message, groupId, unread } = item;
  const me = useMe();
  const call = useCall();
  const reason = useMemo(() => reasonOf(message, me.id), [message, me.id]);
  const markRead = () => {
    const { channelId, seq } = message;
    call("channel.markRead", { channelId, seq }).catch(showFailure);
  };
  const name = t(`reason.${reason}`);
  return (
    <MessageEntry
      message={message}
      groupId={groupId}
      isStrong={unread}
      reason={dotted([unread && t("unread"), name])}
      done={unread ? { label: t("common:markRead"), icon: Check, run: markRead } : undefined}
    >
      <Badge>{name}</Badge>
      {unread && <span className="sr-only">{t("unread")}</span>}
    </MessageEntry>
  );
}

function RequestList() {
  const { t } = useTranslation("inbox");
  const incoming = useIncomingRequests();
  if (incoming.length === 0) return null;
  return (
    <section aria-label={t("requests")} className="grid gap-1 rounded-lg border border-line p-2">
      <h2 className="px-2 pt-1 text-sm font-semibold text-muted">{t("requests")}</h2>
      <ul>
        {incoming.map((request) => (
          <RequestRow key={request.userId} request={request} />
        ))}
      </ul>
    </section>
  );
}

function RequestRow({ request: { userId } }: { request: FriendRequest }) {
  const { t } = useTranslation("inbox");
  const call = useCall();
  const { busy, error, run } = useAction();
  const { user, name, avatarUrl } = usePerson(userId);
  return (
    <ListRow
      leading={<Avatar name={name} id={userId} src={avatarUrl} size={36} />}
      title={name}
      subtitle={user !== undefined && user.username !== null ? `@${user.username}` : undefined}
      trailing={
        <>
          <Button
            size="sm"
            variant="primary"
            busy={busy}
            onClick={() => void run(() => call("friend.accept", { userId }))}
          >
            {t("members:action.accept")}
          </Button>
          <Button
            size="sm"
            variant="ghost"
            disabled={busy}
            onClick={() => void run(() => call("friend.decline", { userId }))}
          >
            {t("members:action.decline")}
          </Button>
        </>
      }
    >
      <ErrorNote text={error} />
    </ListRow>
  );
}
