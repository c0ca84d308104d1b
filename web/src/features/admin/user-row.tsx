import type { AdminUser } from "@fanfare/contract";
import { Ellipsis, KeyRound, LockKeyholeOpen, ShieldMinus, ShieldPlus, UserCheck, UserX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../data/me.ts";
import { useFormats } from "../../shared/use-formats.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Badge } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { Menu } from "../../ui/menu.tsx";
import { DANGEROUS, deedsFor, type UserDeed } from "./user-deeds.ts";

const ICONS = {
  disable: UserX,
  enable: UserCheck,
  makeAdmin: ShieldPlus,
  takeAdmin: ShieldMinus,
  sendReset: LockKeyholeOpen,
  resetTotp: KeyRound,
};

/** One user, and what can be done to the account. */
export function UserRow({ user, onDeed }: { user: AdminUser; onDeed: (deed: UserDeed) => void }) {
  const { t } = useTranslation("admin");
  const me = useMe();
  const { date } = useFormats();
  const { id, nickname, username, email, avatarUrl, kind, admin, disabledAt, createdAt } = user;
  const known = [username === null ? null : `@${username}`, email, date(Date.parse(createdAt))];
  return (
    <ListRow
      leading={<Avatar name={nickname} id={id} src={avatarUrl} />}
      title={
        <span className="flex items-center gap-2">
          <span className="truncate">{nickname}</span>
          {admin && <Badge tone="accent">{t("users.admin")}</Badge>}
          {kind !== "member" && <Badge>{t(`users.kinds.${kind}`)}</Badge>}
          {disabledAt !== null && <Badge tone="danger">{t("users.disabled")}</Badge>}
        </span>
      }
      subtitle={known.filter((part) => part !== null).join(" · ")}
      trailing={
        <Menu
          trigger={
            <IconButton icon={Ellipsis} label={t("users.deeds", { name: nickname })} tooltipSide="left" />
          }
          items={deedsFor(user, me.id).map((deed) => ({
            label: t(`users.${deed}.menu`),
            icon: ICONS[deed],
            danger: DANGEROUS.has(deed),
            onSelect: () => onDeed(deed),
          }))}
        />
      }
    />
  );
}
