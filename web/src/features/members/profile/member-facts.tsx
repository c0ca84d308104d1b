import type { Group, Member, User } from "@fanfare/contract";
import { Crown, MicOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useRoles } from "../../../data/roles.ts";
import { useFormats } from "../../../shared/use-formats.ts";
import { useNow } from "../../../shared/use-now.ts";
import { useMemberMenu } from "../../group-settings/members/use-member-menu.ts";
import { RoleName } from "../../group-settings/role-name.tsx";
import { useAuthority } from "../../group-settings/use-authority.ts";
import { askAbout } from "../people-store.ts";
import { ProfileActions } from "./profile-actions.tsx";

interface MemberFactsProps {
  user: User | undefined;
  group: Group;
  member: Member;
}

/** What somebody is in a group, and what one can do about them there. */
export function MemberFacts({ user, group, member }: MemberFactsProps) {
  const { t } = useTranslation("members");
  const { date, dateTime } = useFormats();
  const now = useNow();
  const authority = useAuthority(group);
  const items = useMemberMenu(group, member, user?.kind === "member", authority, (kind) =>
    askAbout({ kind, member }),
  );
  const roles = useRoles(group.id).data?.filter(({ id }) => member.roleIds.includes(id)) ?? [];
  const mutedUntil = member.mutedUntil === null ? 0 : Date.parse(member.mutedUntil);
  return (
    <>
      {member.userId === group.ownerId && (
        <p className="flex items-center gap-2 text-sm">
          <Crown size={15} aria-hidden className="text-accent-text" />
          {t("card.owner", { group: group.name })}
        </p>
      )}
      {mutedUntil > now && (
        <p className="flex items-center gap-2 text-sm text-warn-text">
          <MicOff size={15} aria-hidden />
          {t("card.mutedUntil", { time: dateTime(mutedUntil) })}
        </p>
      )}
      {roles.length > 0 && (
        <section aria-label={t("card.roles")} className="grid gap-1.5">
          <h3 className="text-xs font-semibold text-muted">{t("card.roles")}</h3>
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
        {t("card.joined", { group: group.name, date: date(Date.parse(member.joinedAt)) })}
      </p>
    </>
  );
}
