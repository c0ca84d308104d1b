import type { User } from "@fanfare/contract";
import { Check, Ellipsis, MessageCircle, Pencil, Undo2, UserCheck, UserPlus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useMe } from "../../../data/me.ts";
import { settingsPath } from "../../../routes.ts";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { Menu } from "../../../ui/menu.tsx";
import type { MenuItem } from "../../../ui/menu-item.ts";
import { closeProfile } from "../people-store.ts";
import { usePersonActions } from "../use-person-actions.ts";
import { usePersonMenu } from "../use-person-menu.ts";

interface ProfileActionsProps {
  user: User | undefined;
  /** What can be done besides, in the group. */
  more?: readonly MenuItem[];
  isTalking?: boolean;
}

/** The buttons of a card: to talk, to be friends, and a menu of the rest. */
export function ProfileActions({ user, more = [], isTalking = false }: ProfileActionsProps) {
  const { t } = useTranslation("members");
  const isMe = useMe().id === user?.id;
  const { message, befriend, accept, decline, withdraw, unfriend, unblock } = usePersonActions(user);
  const own = usePersonMenu(user, { isBrief: true });
  const items: MenuItem[] = more.length === 0 ? own : [...own, "separator", ...more];
  return (
    <div className="grid gap-2">
      {accept && <p className="text-sm">{t("card.asksYou")}</p>}
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
        {accept && (
          <Button size="sm" variant="primary" icon={<Check size={16} aria-hidden />} onClick={accept}>
            {t("action.accept")}
          </Button>
        )}
        {decline && (
          <Button size="sm" icon={<X size={16} aria-hidden />} onClick={decline}>
            {t("action.decline")}
          </Button>
        )}
        {message && !isTalking && (
          <Button
            size="sm"
            variant={accept ? "secondary" : "primary"}
            icon={<MessageCircle size={16} aria-hidden />}
            onClick={message}
          >
            {t("action.message")}
          </Button>
        )}
        {befriend && (
          <Button size="sm" icon={<UserPlus size={16} aria-hidden />} onClick={befriend}>
            {t("action.befriend")}
          </Button>
        )}
        {withdraw && (
          <Button size="sm" icon={<Undo2 size={16} aria-hidden />} onClick={withdraw}>
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
