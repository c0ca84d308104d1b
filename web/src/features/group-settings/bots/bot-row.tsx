import type { Bot, Group } from "@fanfare/contract";
import { Ellipsis, KeyRound, Pencil, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../../data/me.ts";
import { useUser } from "../../../data/users.ts";
import { useFormats } from "../../../shared/use-formats.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { Menu } from "../../../ui/menu.tsx";
import type { MenuItem } from "../../../ui/menu-item.ts";
import { userName } from "../user-name.ts";

interface BotRowProps {
  group: Group;
  bot: Bot;
  onAsk: (what: "edit" | "rotate" | "delete") => void;
}

export function BotRow({ group, bot, onAsk }: BotRowProps) {
  const { t } = useTranslation("group-settings");
  const { date } = useFormats();
  const me = useMe();
  const maker = useUser(bot.createdBy);
  const user = useUser(bot.id);
  const holdsToken = me.id === bot.createdBy || me.id === group.ownerId;
  const items: MenuItem[] = [
    { label: t("bots.edit"), icon: Pencil, onSelect: () => onAsk("edit") },
    ...(holdsToken
      ? [{ label: t("bots.rotate"), icon: KeyRound, onSelect: () => onAsk("rotate") } satisfies MenuItem]
      : []),
    { label: t("bots.delete"), icon: Trash2, danger: true, onSelect: () => onAsk("delete") },
  ];
  const facts = t("bots.by", { name: userName(maker), date: date(Date.parse(bot.createdAt)) });
  const failing = bot.callback !== null && bot.callback.state !== "active";
  return (
    <ListRow
      leading={<Avatar id={bot.id} name={bot.name} src={user?.avatarUrl} />}
      title={
        <span className="flex items-center gap-2">
          <span className="truncate">{bot.name}</span>
          {failing && (
            <Badge tone={bot.callback!.state === "disabled" ? "danger" : "warn"}>
              {t(`bots.${bot.callback!.state}`)}
            </Badge>
          )}
        </span>
      }
      subtitle={`${facts} · ${t("bots.scopeCount", { count: bot.scopes.length })}`}
      trailing={
        <Menu
          items={items}
          trigger={<IconButton icon={Ellipsis} label={t("moreAbout", { name: bot.name })} />}
        />
      }
    />
  );
}
