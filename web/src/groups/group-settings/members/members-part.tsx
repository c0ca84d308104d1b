import type { Group, Member, User, Ban } from "@fanfare/contract";
import { Users, Ellipsis, UserRoundCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAvatarUrl, useMemberSearch, useNickname } from "../../../data/members.ts";
import { useRoles } from "../../../data/groups.ts";
import { PagedRows } from "../../../shared/paged-list.tsx";
import { formatTime } from "../../../shared/times.ts";
import { useNow } from "../../../shared/hooks.ts";
import { Avatar, Badge } from "../../../ui/display.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { EmptyState, SkeletonRows, ErrorNote } from "../../../ui/feedback.tsx";
import { IconButton, Button } from "../../../ui/button.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { TextField } from "../../../ui/form.tsx";
import { RoleName, useAuthority, type OwnAuthority, useMemberMenu } from "../authority.tsx";
import { isMutedNow } from "../../channels/mute.ts";
import { userName } from "../../../people/members/user-name.tsx";
import { dotted } from "../../../shared/formats.ts";
import { useCall } from "../../../data/call.ts";
import { useBans } from "../../../data/group-settings.ts";
import { useUser } from "../../../data/people.ts";
import { useAction } from "../../../shared/use-action.ts";

const MAX_ROLES_SHOWN = 3;

export function MembersPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const [text, setText] = useState("");
  const authority = useAuthority(group);
  const { found, members } = useMemberSearch(group.id, text);
  return (
    <div className="grid gap-5">
      <TextField
        label={t("members:panel.search")}
        placeholder={t("common:searchByName")}
        type="search"
        value={text}
        onChange={setText}
        hint={t("members.count", { count: group.memberCount })}
      />
      <PagedRows
        // A search loads the pages it needs.
        pages={{
          ...members,
          data: members.data && found,
          hasNextPage: members.hasNextPage && text.trim() === "",
        }}
        placeholder={<SkeletonRows count={8} withAvatar />}
        empty={<EmptyState icon={Users} title={t("members:panel.none")} text={t("members.noneText")} />}
      >
        {({ member, user }) => (
          <MemberRow key={member.userId} group={group} member={member} user={user} authority={authority} />
        )}
      </PagedRows>
    </div>
  );
}

interface MemberRowProps {
  group: Group;
  member: Member;
  user: User | undefined;
  authority: OwnAuthority;
}

function MemberRow({ group, member, user, authority }: MemberRowProps) {
  const { t } = useTranslation("group-settings");
  const roles = useRoles(group.id).data?.filter(({ id }) => member.roleIds.includes(id)) ?? [];
  const items = useMemberMenu(group, member, user?.kind === "member", authority);
  const isMuted = isMutedNow(member, useNow());
  const nickname = useNickname(group.id, member.userId);
  const name = userName(user, nickname);
  const facts = [
    nickname === undefined || user === undefined ? null : user.nickname,
    user?.username === null || user === undefined ? null : `@${user.username}`,
    t("members.since", { date: formatTime(member.joinedAt, "date") }),
    isMuted && t("members.mutedUntil", { time: formatTime(member.mutedUntil!, "dateTime") }),
  ];
  return (
    <ListRow
      leading={<Avatar id={member.userId} name={name} src={useAvatarUrl(user, group.id)} />}
      title={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="truncate">{name}</span>
          {member.userId === group.ownerId && <Badge tone="accent">{t("members.owner")}</Badge>}
          {user?.kind === "bot" && <Badge>{t("members:bot")}</Badge>}
          {user?.kind === "guest" && <Badge>{t("members:guest")}</Badge>}
          {isMuted && <Badge tone="warn">{t("members:muted")}</Badge>}
          {roles.slice(0, MAX_ROLES_SHOWN).map((role) => (
            <Badge key={role.id}>
              <RoleName role={role} />
            </Badge>
          ))}
          {roles.length > MAX_ROLES_SHOWN && <Badge>+{roles.length - MAX_ROLES_SHOWN}</Badge>}
        </span>
      }
      subtitle={<span className="whitespace-normal">{dotted(facts)}</span>}
      trailing={
        items.length > 0 && (
          <Menu items={items} trigger={<IconButton icon={Ellipsis} label={t("moreOptions", { name })} />} />
        )
      }
    />
  );
}

export function BansPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const bans = useBans(group.id);
  return (
    <div>
      <PagedRows
        pages={bans}
        empty={<EmptyState icon={UserRoundCheck} title={t("bans.none")} text={t("bans.noneText")} />}
      >
        {(ban) => <BanRow key={ban.userId} ban={ban} />}
      </PagedRows>
    </div>
  );
}

function BanRow({ ban: { groupId, userId, bannedBy, reason, createdAt } }: { ban: Ban }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { busy, error, run } = useAction();
  const user = useUser(userId);
  const judge = useUser(bannedBy);
  const facts = t("bans.by", { name: userName(judge), date: formatTime(createdAt, "date") });
  return (
    <ListRow
      leading={<Avatar id={userId} name={user?.nickname ?? ""} src={user?.avatarUrl} />}
      title={userName(user)}
      subtitle={<span className="whitespace-normal">{reason === null ? facts : `${reason} · ${facts}`}</span>}
      trailing={
        <Button
          size="sm"
          busy={busy}
          aria-label={t("bans.liftOf", { name: userName(user) })}
          onClick={() => void run(() => call("group.unban", { groupId, userId }))}
        >
          {t("bans.lift")}
        </Button>
      }
    >
      <ErrorNote text={error} />
    </ListRow>
  );
}
