import { Inbox, type LucideIcon, MessageCircle, Plus, Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, Link } from "wouter";
import type { Group } from "@fanfare/contract";
import { useIncomingRequests } from "../data/people.ts";
import { useGroups } from "../data/groups.ts";
import { useDueCount, useGroupUnread, useInboxUnreadCount, useNotificationSetting } from "../data/inbox.ts";
import { directPath, groupPath, inboxPath } from "../routes.ts";
import { useFormats } from "../shared/formats.ts";
import { moveFocusByArrows, useNow } from "../shared/hooks.ts";
import { IconButton, Tooltip } from "../ui/button.tsx";
import { Skeleton } from "../ui/feedback.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { openDialog } from "../ui/open-dialog.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Avatar, CountBadge } from "../ui/display.tsx";
import { isQuiet } from "./channels/mute.ts";
import { CreateGroupForm, DirectoryLink, JoinGroupForm, useCanCreateGroups } from "./add-group.tsx";
import { cx } from "../ui/cx.ts";
import { openOverlay } from "../state/panels.ts";

/** Direct messages, the groups and a button to add one. The up and down arrow keys move between them. */
export function GroupRail() {
  const { t } = useTranslation("groups");
  const { data: groups } = useGroups();
  const [path] = useLocation();
  const messages = useGroupUnread(null, (unread) => unread.messages);
  const newCount = messages + useIncomingRequests().length;
  return (
    <nav
      aria-label={t("common:groups")}
      onKeyDown={moveFocusByArrows}
      className="flex flex-col items-center gap-2 py-3"
    >
      <RailLink
        href={directPath()}
        name={t("directs:title")}
        isActive={path.startsWith("/direct")}
        unread={newCount > 0}
        count={newCount}
        countLabel={t("rail.new", { count: newCount })}
      >
        <RailIcon icon={MessageCircle} />
      </RailLink>
      <InboxRailLink />
      <SwitcherButton />
      <hr className="w-8 border-line-strong/40" />
      <ul className="grid gap-2">
        {groups?.map((group) => (
          <li key={group.id}>
            <GroupRailItem group={group} isActive={path.startsWith(`/groups/${group.id}`)} />
          </li>
        ))}
        {groups === undefined &&
          [1, 2, 3].map((key) => (
            <li key={key}>
              <Skeleton className="size-11 rounded-lg" />
            </li>
          ))}
      </ul>
      <IconButton
        icon={Plus}
        label={t("rail.add")}
        tooltipSide="right"
        data-walk
        className="size-11 rounded-lg border border-dashed border-line-strong"
        onClick={() => openDialog((onClose) => <AddGroupDialog onClose={onClose} />)}
      />
    </nav>
  );
}

function AddGroupDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("groups");
  const [way, setWay] = useState<"create" | "join">("create");
  if (!useCanCreateGroups()) {
    return (
      <Dialog onClose={onClose} title={t("join.title")}>
        <JoinGroupForm onDone={onClose} />
        <DirectoryLink onClick={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog onClose={onClose} title={t("add.title")} description={t("add.text")}>
      <Tabs
        label={t("add.title")}
        value={way}
        onChange={setWay}
        tabs={[
          { value: "create", label: t("add.create"), content: <CreateGroupForm onDone={onClose} /> },
          { value: "join", label: t("add.join"), content: <JoinGroupForm onDone={onClose} /> },
        ]}
      />
      <DirectoryLink onClick={onClose} />
    </Dialog>
  );
}

function GroupRailItem({ group, isActive }: { group: Group; isActive: boolean }) {
  const { t } = useTranslation("groups");
  const isUnread = useGroupUnread(group.id, ({ messages }) => messages > 0);
  const mentions = useGroupUnread(group.id, (unread) => unread.mentions);
  const setting = useNotificationSetting({ groupId: group.id });
  const quiet = isQuiet(setting, useNow());
  return (
    <RailLink
      href={groupPath(group.id)}
      name={group.name}
      isActive={isActive}
      unread={isUnread && !quiet}
      count={mentions}
      countLabel={t("common:mentions", { count: mentions })}
    >
      <Avatar name={group.name} id={group.id} src={group.iconUrl} size={44} shape="square" />
    </RailLink>
  );
}

function InboxRailLink() {
  const { t } = useTranslation("groups");
  const { list } = useFormats();
  const [path] = useLocation();
  const { data: unread = 0 } = useInboxUnreadCount();
  const due = useDueCount();
  const count = unread + due;
  const countLabel = [
    unread > 0 && t("inbox:unreadCount", { count: unread }),
    due > 0 && t("inbox:dueCount", { count: due }),
  ].filter((part) => part !== false);
  return (
    <RailLink
      href={inboxPath()}
      name={t("inbox:title")}
      isActive={path === inboxPath()}
      unread={count > 0}
      count={count}
      countLabel={list(countLabel)}
      // The groups have the red counts of the same mentions.
      tone="neutral"
    >
      <RailIcon icon={Inbox} />
    </RailLink>
  );
}

function RailIcon({ icon: Icon }: { icon: LucideIcon }) {
  return (
    <span className="flex size-11 items-center justify-center rounded-lg text-muted transition-colors group-hover:bg-selected group-hover:text-text group-aria-[current=page]:bg-selected group-aria-[current=page]:text-text">
      <Icon size={22} aria-hidden />
    </span>
  );
}

interface RailLinkProps {
  href: string;
  name: string;
  isActive: boolean;
  unread: boolean;
  count: number;
  countLabel: string;
  tone?: "mention" | "neutral";
  children: ReactNode;
}

/** A bar marks the active place, a dot unread messages, a number mentions. */
function RailLink(props: RailLinkProps) {
  const { href, name, isActive, unread, count, countLabel, tone = "mention", children } = props;
  const { t } = useTranslation("groups");
  const state = count > 0 ? countLabel : unread ? t("rail.unread") : null;
  return (
    <Tooltip text={name} side="right">
      <Link
        href={href}
        data-walk
        aria-current={isActive ? "page" : undefined}
        className="group relative flex w-16 justify-center rounded-lg -outline-offset-2"
      >
        <span
          aria-hidden
          className={cx(
            "absolute top-1/2 start-0 w-1 -translate-y-1/2 rounded-e-sm bg-text transition-[height] duration-(--motion-popup)",
            isActive ? "h-8" : unread ? "h-2 group-hover:h-5" : "h-0 group-hover:h-5",
          )}
        />
        {children}
        <span className="sr-only">{state === null ? name : t("rail.named", { name, state })}</span>
        <span aria-hidden className="absolute end-1 -bottom-1 rounded-full ring-2 ring-rail">
          <CountBadge count={count} label="" tone={tone} />
        </span>
      </Link>
    </Tooltip>
  );
}

/** Opens the switcher without a keyboard. */
function SwitcherButton() {
  const { t } = useTranslation("groups");
  return (
    <IconButton
      icon={Search}
      label={t("quick-switcher:title")}
      tooltipSide="right"
      data-walk
      className="size-11 rounded-lg hover:not-disabled:bg-selected"
      onClick={() => openOverlay("switcher")}
    />
  );
}
