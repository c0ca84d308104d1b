import type { Group, Member, User } from "@fanfare/contract";
import { CircleUser, Crown, MicOff } from "lucide-react";
import { type CSSProperties, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useStatus } from "../../../data/presence.ts";
import { useNow } from "../../../shared/use-now.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { ContextMenu } from "../../../ui/context-menu.tsx";
import { cx } from "../../../ui/cx.ts";
import type { MenuItem } from "../../../ui/menu-item.ts";
import { useMemberMenu } from "../../group-settings/members/use-member-menu.ts";
import type { OwnAuthority } from "../../group-settings/use-authority.ts";
import { readableColor } from "../../messages/item/name-color.ts";
import { askAbout, openProfile } from "../people-store.ts";
import { useName } from "../use-name.ts";
import { usePersonMenu } from "../use-person-menu.ts";
import { UserPopover } from "../user-popover.tsx";

interface MemberLineProps {
  group: Group;
  member: Member;
  user: User | undefined;
  /** Of the highest role that has one. */
  color: number | null;
  authority: OwnAuthority;
}

/** A member in the list: a click shows the card, a right click what can be done. */
export function MemberLine({ group, member, user, color, authority }: MemberLineProps) {
  const { t } = useTranslation("members");
  const { userId } = member;
  const element = useRef<HTMLDivElement>(null);
  const status = useStatus(userId);
  const now = useNow();
  const name = useName(user);
  const isMuted = member.mutedUntil !== null && Date.parse(member.mutedUntil) > now;
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
          className="flex min-h-11 w-full items-center gap-2.5 rounded-md px-2 py-1 text-left -outline-offset-2 compact:min-h-row"
        >
          <span className={cx("flex", isAway && "opacity-60")}>
            <Avatar name={name} id={userId} src={user?.avatarUrl} size={32} status={status} />
          </span>
          <span
            className={cx(
              "min-w-0 truncate font-medium",
              color === null ? isAway && "text-muted" : "text-(--light) dark:text-(--dark)",
            )}
            style={color === null ? undefined : colorsOf(color)}
          >
            {/* A button needs a name also while the profile is on its way. */}
            {user === undefined ? <span className="sr-only">{t("ui:loading")}</span> : name}
          </span>
          {status !== undefined && status !== "offline" && (
            <span className="sr-only">{t(`status.${status}`)}</span>
          )}
          {userId === group.ownerId && <Mark icon={Crown} label={t("owner")} className="text-accent-text" />}
          {user?.kind === "bot" && <Badge>{t("bot")}</Badge>}
          {user?.kind === "guest" && <Badge>{t("guest")}</Badge>}
          {isMuted && <Mark icon={MicOff} label={t("muted")} className="ml-auto text-warn-text" />}
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
  const inGroup = useMemberMenu(group, member, user?.kind === "member", authority, (kind) =>
    askAbout({ kind, member }),
  );
  return [
    { label: t("action.profile"), icon: CircleUser, onSelect: showCard },
    ...person,
    ...(inGroup.length > 0 ? (["separator", ...inGroup] as const) : []),
  ];
}

function colorsOf(color: number): CSSProperties {
  return {
    "--light": readableColor(color, "light"),
    "--dark": readableColor(color, "dark"),
  } as CSSProperties;
}
