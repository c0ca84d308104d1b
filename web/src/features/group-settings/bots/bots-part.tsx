import type { Bot, Group } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Bot as BotIcon, Plus, Ellipsis, KeyRound, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useBots } from "../../../data/integrations.ts";
import { useMe } from "../../../data/me.ts";
import { useUser } from "../../../data/users.ts";
import { errorText } from "../../../shared/error-text.ts";
import { useFormats } from "../../../shared/use-formats.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import type { MenuItem } from "../../../ui/menu-item.ts";
import { Menu } from "../../../ui/menu.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { SecretDialog } from "../secret-dialog.tsx";
import { userName } from "../user-name.ts";
import { BotDialog } from "./bot-dialog.tsx";

type Asked = { what: "edit" | "rotate" | "delete"; bot: Bot } | { what: "create" };

/** The bots of the group, what they may, and their tokens. */
export function BotsPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { data: bots, error, refetch } = useBots(group.id);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [token, setToken] = useState<string | null>(null);
  const close = () => setAsked(null);
  const create = (
    <Button
      variant="primary"
      icon={<Plus size={16} aria-hidden />}
      disabled={(bots?.length ?? 0) >= LIMITS.botsPerGroup}
      onClick={() => setAsked({ what: "create" })}
    >
      {t("bots.create")}
    </Button>
  );
  const rotate = async (botId: string) => {
    const answer = await call("bot.rotateToken", { groupId: group.id, botId });
    setToken(answer.token);
  };
  return (
    <div className="grid max-w-2xl gap-5">
      <p className="text-muted">{t("bots.text")}</p>
      {bots === undefined && error === null && <SkeletonRows withAvatar />}
      {error !== null && <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />}
      {bots?.length === 0 && (
        <EmptyState icon={BotIcon} title={t("bots.none")} text={t("bots.noneText")} action={create} />
      )}
      {bots !== undefined && bots.length > 0 && (
        <>
          <div>{create}</div>
          <ul className="grid gap-px">
            {bots.map((bot) => (
              <li key={bot.id}>
                <BotRow group={group} bot={bot} onAsk={(what) => setAsked({ what, bot })} />
              </li>
            ))}
          </ul>
        </>
      )}
      {asked?.what === "create" && <BotDialog group={group} onClose={close} onToken={setToken} />}
      {asked?.what === "edit" && (
        <BotDialog group={group} bot={asked.bot} onClose={close} onToken={setToken} />
      )}
      {asked?.what === "rotate" && (
        <ConfirmDialog
          open
          danger
          onClose={close}
          title={t("bots.rotateTitle", { name: asked.bot.name })}
          action={t("bots.rotate")}
          onConfirm={() => rotate(asked.bot.id)}
        >
          {t("bots.rotateText")}
        </ConfirmDialog>
      )}
      {asked?.what === "delete" && (
        <ConfirmDialog
          open
          danger
          onClose={close}
          title={t("bots.deleteTitle", { name: asked.bot.name })}
          action={t("bots.delete")}
          onConfirm={() => call("bot.delete", { groupId: group.id, botId: asked.bot.id })}
        >
          {t("bots.deleteText")}
        </ConfirmDialog>
      )}
      {token !== null && (
        <SecretDialog
          title={t("bots.tokenTitle")}
          text={t("bots.tokenOnce")}
          label={t("bots.token")}
          secret={token}
          onClose={() => setToken(null)}
        />
      )}
    </div>
  );
}

interface BotRowProps {
  group: Group;
  bot: Bot;
  onAsk: (what: "edit" | "rotate" | "delete") => void;
}

function BotRow({ group, bot, onAsk }: BotRowProps) {
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
