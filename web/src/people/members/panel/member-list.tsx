import type { Group, Member, Role, User } from "@fanfare/contract";
import { useMemo, useRef, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import type { Status } from "@fanfare/client";
import { CircleUser, Crown, MicOff } from "lucide-react";
import { type FoundMember, useAvatarUrl, type useMembers, useNicknames } from "../../../data/members.ts";
import { useRoles } from "../../../data/groups.ts";
import { errorText } from "../../../shared/use-action.ts";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { type OwnAuthority, useAuthority, useMemberMenu } from "../../../groups/group-settings/authority.tsx";
import { useStatuses, useStatus } from "../../../data/presence.ts";
import { useNow } from "../../../shared/hooks.ts";
import { Avatar, Badge } from "../../../ui/display.tsx";
import { ContextMenu, type MenuItem } from "../../../ui/menu.tsx";
import { cx } from "../../../ui/cx.ts";
import { isMutedNow } from "../../../groups/channels/mute.ts";
import { readableColors } from "../../../channel/messages/item/use-author.ts";
import { openProfile, UserPopover } from "../people-store.tsx";
import { CustomStatusMark, useName } from "../user-name.tsx";
import { usePersonMenu } from "../use-person-menu.ts";

interface MemberListProps {
  group: Group;
  found: readonly FoundMember[];
  pages: ReturnType<typeof useMembers>;
  /** Whether all members are loaded; only then they are sorted and counted. */
  isWhole: boolean;
}

const NO_ROLES: readonly Role[] = [];
/** The next page is loaded when this many rows are left. */
const OVERSCAN = 20;
const NO_USER_IDS: readonly string[] = [];

/** Members by section. Only visible rows are rendered and have their presence watched. */
export function MemberList({ group, found, pages, isWhole }: MemberListProps) {
  const { i18n } = useTranslation("members");
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const { data: roles = NO_ROLES } = useRoles(group.id);
  const authority = useAuthority(group);
  const watched = useWatched(group, pages);
  const known = useStatuses(watched);
  const statuses = known.size === 0 ? null : known;
  const compare = useMemo(() => new Intl.Collator(i18n.language, { numeric: true }).compare, [i18n.language]);
  const nicknames = useNicknames(group.id);
  const named = found.map((one) => ({
    ...one,
    name: nicknames[one.member.userId]?.nickname ?? one.user?.nickname ?? "",
  }));
  const lines = linesOf(sectionsOf(named, roles, statuses, isWhole ? compare : null), roles);

  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  const loadMore = () => {
    const last = list.current?.findItemIndex(
      (list.current?.scrollOffset ?? 0) + (list.current?.viewportSize ?? 0),
    );
    if (last === undefined || last < lines.length - OVERSCAN) return;
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  };
  return (
    <div ref={frame} className="virtual-frame min-h-0 flex-1 overflow-y-auto px-2 pb-3">
      <Virtualizer ref={list} scrollRef={frame} as="ul" item="li" bufferSize={300} onScroll={loadMore}>
        {lines.map((line) => (
          <ListLine key={line.key} line={line} group={group} authority={authority} isWhole={isWhole} />
        ))}
      </Virtualizer>
      <ErrorNote
        text={isFetchNextPageError ? errorText(pages.error) : null}
        onRetry={() => void fetchNextPage()}
      />
    </div>
  );
}

interface ListLineProps {
  line: Line;
  group: Group;
  authority: ReturnType<typeof useAuthority>;
  isWhole: boolean;
}

function ListLine({ line, group, authority, isWhole }: ListLineProps) {
  if (line.kind === "heading") return <Heading section={line.section} isCounted={isWhole} />;
  return (
    <MemberLine
      group={group}
      member={line.listed.member}
      user={line.listed.user}
      color={line.color}
      authority={authority}
    />
  );
}

function Heading({ section: { key, role, members }, isCounted }: { section: Section; isCounted: boolean }) {
  const { t } = useTranslation("members");
  return (
    <h3 className="flex items-baseline gap-1.5 px-2 pt-4 pb-1 text-xs font-semibold text-muted">
      <span className="truncate">{role === null ? t(`section.${key}`) : role.name}</span>
      {isCounted && <span className="font-normal tabular-nums">{members.length}</span>}
    </h3>
  );
}

/** All members of a small group. Returns the same array while it doesn't change. */
function useWatched({ memberCount }: Group, { data }: ReturnType<typeof useMembers>): readonly string[] {
  return useMemo(
    () => (data === undefined || memberCount > WHOLE_UP_TO ? NO_USER_IDS : data.map(({ userId }) => userId)),
    [data, memberCount],
  );
}

/** The user is undefined while loading. */
export interface Listed {
  member: Member;
  user: User | undefined;
  /** In the group. */
  name: string;
}

/** Members grouped by highest role or presence. */
interface Section {
  /** A role ID, "online", "offline", or "rest" if presence is unknown. */
  key: string;
  role: Role | null;
  members: Listed[];
}

type Line =
  | { kind: "heading"; key: string; section: Section }
  | { kind: "member"; key: string; listed: Listed; color: number | null };

/**
 * Groups members by their highest role, highest first; members without a role come last.
 * @param roles highest first
 * @param statuses null if not all are known; otherwise offline members form the last section
 * @param compareNames null keeps the order, so that members loaded later are appended
 */
export function sectionsOf(
  listed: readonly Listed[],
  roles: readonly Role[],
  statuses: ReadonlyMap<string, Status> | null,
  compareNames: ((a: string, b: string) => number) | null,
): Section[] {
  const sections = new Map<string, Section>();
  const at = (key: string, role: Role | null): Section => {
    const section = sections.get(key) ?? { key, role, members: [] };
    sections.set(key, section);
    return section;
  };
  for (const one of listed) {
    const role = roles.find(({ id }) => one.member.roleIds.includes(id)) ?? null;
    const isHere = statuses === null || (statuses.get(one.member.userId) ?? "offline") !== "offline";
    const section = isHere
      ? at(role?.id ?? (statuses === null ? "rest" : "online"), role)
      : at("offline", null);
    section.members.push(one);
  }
  if (compareNames !== null) {
    for (const { members } of sections.values()) {
      members.sort((a, b) => compareNames(a.name, b.name) || compareNames(a.member.userId, b.member.userId));
    }
  }
  const order = [...roles.map(({ id }) => id), "online", "rest", "offline"];
  return order.flatMap((key) => sections.get(key) ?? []);
}

/** The sections with their headings as one list. A member's color is the one of their highest colored role. */
export function linesOf(sections: readonly Section[], roles: readonly Role[]): Line[] {
  return sections.flatMap((section): Line[] => [
    { kind: "heading", key: `section ${section.key}`, section },
    ...section.members.map((listed): Line => {
      const colored = roles.find(({ id, color }) => color !== null && listed.member.roleIds.includes(id));
      return { kind: "member", key: listed.member.userId, listed, color: colored?.color ?? null };
    }),
  ]);
}

interface MemberLineProps {
  group: Group;
  member: Member;
  user: User | undefined;
  color: number | null;
  authority: OwnAuthority;
}

function MemberLine({ group, member, user, color, authority }: MemberLineProps) {
  const { t } = useTranslation("members");
  const { userId } = member;
  const element = useRef<HTMLDivElement>(null);
  const status = useStatus(userId);
  const name = useName(user, group.id);
  const avatarUrl = useAvatarUrl(user, group.id);
  const isMuted = isMutedNow(member, useNow());
  const isAway = status === undefined || status === "offline";
  const showCard = () => {
    const anchor = element.current?.querySelector("button");
    if (anchor) openProfile({ userId, groupId: group.id, anchor });
  };
  const items = useItems(group, member, user, authority, showCard);
  return (
    <ContextMenu items={items}>
      <div ref={element} className="rounded-md hover:bg-hover has-data-popup-open:bg-hover">
        <UserPopover
          userId={userId}
          groupId={group.id}
          className="flex min-h-11 w-full items-center gap-2.5 rounded-md px-2 py-1 text-start -outline-offset-2 compact:min-h-row"
        >
          <span className={cx("flex", isAway && "opacity-60")}>
            <Avatar name={name} id={userId} src={avatarUrl} size={32} status={status} />
          </span>
          <span
            className={cx(
              "min-w-0 truncate font-medium",
              color === null ? isAway && "text-muted" : "text-(--light) dark:text-(--dark)",
            )}
            style={color === null ? undefined : readableColors(color)}
          >
            {/* The button needs a name while the profile is loading. */}
            {user === undefined ? <span className="sr-only">{t("ui:loading")}</span> : name}
          </span>
          {status !== undefined && status !== "offline" && (
            <span className="sr-only">{t(`status.${status}`)}</span>
          )}
          <CustomStatusMark user={user} />
          {userId === group.ownerId && <Mark icon={Crown} label={t("owner")} className="text-accent-text" />}
          {user?.kind === "bot" && <Badge>{t("bot")}</Badge>}
          {user?.kind === "guest" && <Badge>{t("guest")}</Badge>}
          {isMuted && <Mark icon={MicOff} label={t("muted")} className="ms-auto text-warn-text" />}
        </UserPopover>
      </div>
    </ContextMenu>
  );
}

function Mark({ icon: Icon, label, className }: { icon: typeof Crown; label: string; className: string }) {
  return (
    <span title={label} className={cx("flex shrink-0", className)}>
      <Icon size={14} aria-hidden />
      <span className="sr-only">{label}</span>
    </span>
  );
}

function useItems(
  group: Group,
  member: Member,
  user: User | undefined,
  authority: OwnAuthority,
  showCard: () => void,
): MenuItem[] {
  const { t } = useTranslation("members");
  const person = usePersonMenu(user);
  const inGroup = useMemberMenu(group, member, user?.kind === "member", authority);
  return [
    { label: t("common:profile"), icon: CircleUser, onSelect: showCard },
    ...person,
    ...(inGroup.length > 0 ? (["separator", ...inGroup] as const) : []),
  ];
}

/** Groups up to this size are loaded completely, and the presence of all members is watched. */
export const WHOLE_UP_TO = 250;

/** Loads all members of a small group, so that its sections are complete. */
export function useWholeGroup(group: Group, members: ReturnType<typeof useMembers>): void {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = members;
  const isMissing =
    group.memberCount <= WHOLE_UP_TO && hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (isMissing) void fetchNextPage();
  }, [isMissing, fetchNextPage]);
}
