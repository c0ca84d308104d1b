import type { Group, Member, User } from "@fanfare/contract";
import {
  Check,
  Crown,
  Ellipsis,
  MessageCircle,
  MicOff,
  NotebookPen,
  Pencil,
  Undo2,
  UserCheck,
  UserPlus,
  X,
} from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { useGroup, useRoles } from "../../../data/groups.ts";
import { useMember } from "../../../data/members.ts";
import { useStatus } from "../../../data/presence.ts";
import { useUser } from "../../../data/people.ts";
import { formatTime } from "../../../shared/times.ts";
import { useNow } from "../../../shared/hooks.ts";
import { Avatar, avatarGradient, Badge } from "../../../ui/display.tsx";
import { Skeleton } from "../../../ui/feedback.tsx";
import { isMutedNow } from "../../../groups/channels/mute.ts";
import { useMemberMenu, RoleName, useAuthority } from "../../../groups/group-settings/authority.tsx";
import { closeProfile, type ShownProfile, useProfile } from "../people-store.tsx";
import { CustomStatusLine, StatusLine, usePerson } from "../user-name.tsx";
import { useMe } from "../../../data/me.ts";
import { settingsPath } from "../../../routes.ts";
import { Button, buttonClass, IconButton } from "../../../ui/button.tsx";
import { Sheet } from "../../../ui/dialog.tsx";
import { useIsPhone } from "../../../ui/hooks.ts";
import { AnchoredPopover } from "../../../ui/popover.tsx";
import { Menu, type MenuItem } from "../../../ui/menu.tsx";
import { useOpenDirect } from "../../directs/use-direct.tsx";
import { usePersonActions, usePersonMenu } from "../use-person-menu.ts";

/** Renders the user card that is open. Mounted once. */
export function OpenProfile() {
  const { profile } = useProfile();
  const [path] = useLocation();
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- navigation closes it
  useEffect(() => closeProfile, [path]);
  return profile !== null && <Profile key={profile.userId} profile={profile} />;
}

function Profile({ profile: { userId, groupId, anchor } }: { profile: ShownProfile }) {
  const { t } = useTranslation("members");
  const user = useUser(userId);
  const isPhone = useIsPhone();
  const label = t("card.label", { name: user?.nickname ?? "" });
  const card = <ProfileCard userId={userId} groupId={groupId} />;
  if (isPhone) {
    return (
      <Sheet onClose={closeProfile} title={t("common:profile")}>
        <div className="-mx-3">{card}</div>
      </Sheet>
    );
  }
  return (
    <AnchoredPopover
      onClose={closeProfile}
      anchor={anchor}
      label={label}
      side={anchor.closest("aside") === null ? "right" : "left"}
      className="w-80"
    >
      {card}
    </AnchoredPopover>
  );
}

interface ProfileCardProps {
  userId: string;
  /** The group whose roles are shown if the user is a member. */
  groupId: string | null;
  /** Whether it is shown next to the conversation with the user; then it has no button to open it. */
  isTalking?: boolean;
}

export function ProfileCard({ userId, groupId, isTalking = false }: ProfileCardProps) {
  const { t } = useTranslation("members");
  const { user, name, avatarUrl } = usePerson(userId, groupId);
  const status = useStatus(userId);
  const isThere = user !== undefined && user.deleted !== true;
  return (
    <article aria-label={t("card.label", { name })} className="grid max-h-[70dvh] overflow-y-auto">
      <div aria-hidden className="h-16" style={{ backgroundImage: avatarGradient(userId) }} />
      <div className="-mt-10 px-4">
        <span className="inline-flex rounded-full bg-raised p-1">
          <Avatar name={name} id={userId} src={avatarUrl} size={72} />
        </span>
      </div>
      <div className="grid gap-3 px-4 pt-1 pb-4">
        <div className="grid gap-0.5">
          <h2 className="flex flex-wrap items-center gap-x-2 text-lg leading-tight font-semibold wrap-anywhere">
            {user === undefined ? <Skeleton className="h-5 w-36" /> : name}
            {isThere && user.kind === "bot" && <Badge>{t("bot")}</Badge>}
            {isThere && user.kind === "guest" && <Badge>{t("guest")}</Badge>}
          </h2>
          {isThere && name !== user.nickname && <p className="text-sm text-muted">{user.nickname}</p>}
          {isThere && user.username !== null && <p className="text-sm text-muted">@{user.username}</p>}
          {isThere && status !== undefined && <StatusLine status={status} />}
          <CustomStatusLine user={user} />
        </div>
        {isThere && user.bio !== "" && (
          <p className="text-sm whitespace-pre-wrap wrap-anywhere">{user.bio}</p>
        )}
        {groupId === null ? (
          <ProfileActions user={user} isTalking={isTalking} />
        ) : (
          <InGroup user={user} userId={userId} groupId={groupId} />
        )}
        {isThere && (
          <p className="text-xs text-muted">
            {t("card.since", { date: formatTime(user.createdAt, "date") })}
          </p>
        )}
      </div>
    </article>
  );
}

function InGroup({ user, userId, groupId }: { user: User | undefined; userId: string; groupId: string }) {
  const group = useGroup(groupId);
  // A user who left or was kicked isn't a member anymore, even if an earlier response is cached.
  const { data, error } = useMember(groupId, userId);
  const member: Member | undefined = error === null ? data : undefined;
  // Wait for the member: the menu would close when it is rendered again with other items.
  if (group !== undefined && member === undefined && error === null) return null;
  if (group === undefined || member === undefined) return <ProfileActions user={user} />;
  return <MemberFacts user={user} group={group} member={member} />;
}

interface MemberFactsProps {
  user: User | undefined;
  group: Group;
  member: Member;
}

function MemberFacts({ user, group, member }: MemberFactsProps) {
  const { t } = useTranslation("members");
  const now = useNow();
  const authority = useAuthority(group);
  const items = useMemberMenu(group, member, user?.kind === "member", authority);
  const roles = useRoles(group.id).data?.filter(({ id }) => member.roleIds.includes(id)) ?? [];
  return (
    <>
      {member.userId === group.ownerId && (
        <p className="flex items-center gap-2 text-sm">
          <Crown size={15} aria-hidden className="text-accent-text" />
          {t("card.owner", { group: group.name })}
        </p>
      )}
      {isMutedNow(member, now) && (
        <p className="flex items-center gap-2 text-sm text-warn-text">
          <MicOff size={15} aria-hidden />
          {t("card.mutedUntil", { time: formatTime(member.mutedUntil!, "dateTime") })}
        </p>
      )}
      {roles.length > 0 && (
        <section aria-label={t("common:roles")} className="grid gap-1.5">
          <h3 className="text-xs font-semibold text-muted">{t("common:roles")}</h3>
          <ul className="flex flex-wrap gap-1.5">
            {roles.map((role) => (
              <li key={role.id} className="max-w-full rounded-sm bg-selected px-2 py-0.5 text-sm">
                <RoleName role={role} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <ProfileActions user={user} more={items} />
      <p className="-mb-2 text-xs text-muted">
        {t("card.joined", { group: group.name, date: formatTime(member.joinedAt, "date") })}
      </p>
    </>
  );
}

interface ProfileActionsProps {
  user: User | undefined;
  more?: readonly MenuItem[];
  isTalking?: boolean;
}

function ProfileActions({ user, more = [], isTalking = false }: ProfileActionsProps) {
  const { t } = useTranslation("members");
  const { id: ownId } = useMe();
  const isMe = ownId === user?.id;
  const openDirect = useOpenDirect();
  const openNotes = () => {
    closeProfile();
    void openDirect(ownId);
  };
  const { message, befriend, accept, decline, withdraw, unfriend, unblock } = usePersonActions(user);
  const own = usePersonMenu(user, { isBrief: true });
  const items: MenuItem[] = more.length === 0 ? own : [...own, "separator", ...more];
  return (
    <div className="grid gap-2">
      {accept && <p className="text-sm">{t("card.incomingRequest")}</p>}
      {unfriend && (
        <p className="flex items-center gap-2 text-sm text-muted">
          <UserCheck size={15} aria-hidden />
          {t("card.friends")}
        </p>
      )}
      {unblock && <p className="text-sm text-muted">{t("card.blocked")}</p>}
      <div className="flex flex-wrap items-center gap-2">
        {isMe && (
          <Link href={settingsPath("profile")} className={buttonClass({ size: "sm" })} onClick={closeProfile}>
            <Pencil size={16} aria-hidden />
            {t("action.editProfile")}
          </Link>
        )}
        {isMe && !isTalking && (
          <Button size="sm" icon={NotebookPen} onClick={openNotes}>
            {t("directs:notes")}
          </Button>
        )}
        {accept && (
          <Button size="sm" variant="primary" icon={Check} onClick={accept}>
            {t("action.accept")}
          </Button>
        )}
        {decline && (
          <Button size="sm" icon={X} onClick={decline}>
            {t("action.decline")}
          </Button>
        )}
        {message && !isTalking && (
          <Button size="sm" variant={accept ? "secondary" : "primary"} icon={MessageCircle} onClick={message}>
            {t("action.message")}
          </Button>
        )}
        {befriend && (
          <Button size="sm" icon={UserPlus} onClick={befriend}>
            {t("action.befriend")}
          </Button>
        )}
        {withdraw && (
          <Button size="sm" icon={Undo2} onClick={withdraw}>
            {t("action.withdraw")}
          </Button>
        )}
        {unblock && (
          <Button size="sm" onClick={unblock}>
            {t("action.unblock")}
          </Button>
        )}
        {items.length > 0 && (
          <Menu
            items={items}
            trigger={
              <IconButton icon={Ellipsis} size="sm" label={t("more", { name: user?.nickname ?? "" })} />
            }
          />
        )}
      </div>
    </div>
  );
}
