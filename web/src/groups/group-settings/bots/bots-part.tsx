import type { Bot, BotScope, Group } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Bot as BotIcon, Ellipsis, KeyRound, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useBots } from "../../../data/group-settings.ts";
import { useMe } from "../../../data/me.ts";
import { useUser } from "../../../data/people.ts";
import { formatTime } from "../../../shared/times.ts";
import { Avatar, Badge } from "../../../ui/display.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { Button, IconButton } from "../../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../../ui/dialog.tsx";
import { EmptyState, Pending } from "../../../ui/feedback.tsx";
import { Menu, type MenuList } from "../../../ui/menu.tsx";
import { SecretDialog } from "../../../shared/copy-field.tsx";
import { userName } from "../../../people/members/user-name.tsx";
import { useRoles } from "../../../data/groups.ts";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { Form, TextField, useForm } from "../../../ui/form.tsx";
import { useAuthority } from "../authority.tsx";

type OpenDialog = { what: "edit" | "rotate" | "delete"; bot: Bot } | { what: "create" };

export function BotsPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const list = useBots(group.id);
  const { data: bots } = list;
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const [token, setToken] = useState<string | null>(null);
  const close = () => setOpenDialog(null);
  const create = (
    <Button
      variant="primary"
      icon={Plus}
      disabled={(bots?.length ?? 0) >= LIMITS.botsPerGroup}
      onClick={() => setOpenDialog({ what: "create" })}
    >
      {t("bots.create")}
    </Button>
  );
  const rotate = async (botId: string) => {
    const response = await call("bot.rotateToken", { groupId: group.id, botId });
    setToken(response.token);
  };
  return (
    <div className="grid gap-5">
      <p className="text-muted">{t("bots.text")}</p>
      <Pending of={list} />
      {bots?.length === 0 && (
        <EmptyState icon={BotIcon} title={t("bots.none")} text={t("bots.noneText")} action={create} />
      )}
      {bots !== undefined && bots.length > 0 && (
        <>
          <div>{create}</div>
          <ul className="grid gap-px">
            {bots.map((bot) => (
              <BotRow key={bot.id} group={group} bot={bot} onAsk={(what) => setOpenDialog({ what, bot })} />
            ))}
          </ul>
        </>
      )}
      {openDialog?.what === "create" && <BotDialog group={group} onClose={close} onToken={setToken} />}
      {openDialog?.what === "edit" && (
        <BotDialog group={group} bot={openDialog.bot} onClose={close} onToken={setToken} />
      )}
      {openDialog?.what === "rotate" && (
        <ConfirmDialog
          danger
          onClose={close}
          title={t("bots.rotateTitle", { name: openDialog.bot.name })}
          action={t("bots.rotate")}
          onConfirm={() => rotate(openDialog.bot.id)}
        >
          {t("bots.rotateText")}
        </ConfirmDialog>
      )}
      {openDialog?.what === "delete" && (
        <ConfirmDialog
          danger
          onClose={close}
          title={t("bots.deleteTitle", { name: openDialog.bot.name })}
          action={t("bots.delete")}
          onConfirm={() => call("bot.delete", { groupId: group.id, botId: openDialog.bot.id })}
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
  const me = useMe();
  const maker = useUser(bot.createdBy);
  const user = useUser(bot.id);
  const holdsToken = me.id === bot.createdBy || me.id === group.ownerId;
  const items: MenuList = [
    { label: t("bots.edit"), icon: Pencil, onSelect: () => onAsk("edit") },
    holdsToken && { label: t("bots.rotate"), icon: KeyRound, onSelect: () => onAsk("rotate") },
    { label: t("bots.delete"), icon: Trash2, danger: true, onSelect: () => onAsk("delete") },
  ];
  const facts = t("bots.by", { name: userName(maker), date: formatTime(bot.createdAt, "date") });
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
          trigger={<IconButton icon={Ellipsis} label={t("moreOptions", { name: bot.name })} />}
        />
      }
    />
  );
}

// A record, so that the compiler reports missing scopes.
const ALL: Record<BotScope, true> = {
  "group.read": true,
  "messages.read": true,
  "messages.write": true,
  "messages.manage": true,
  "channels.manage": true,
  "members.manage": true,
  "roles.manage": true,
  "invites.manage": true,
  commands: true,
  events: true,
};

const BOT_SCOPES = Object.keys(ALL) as BotScope[];

const USUAL: BotScope[] = ["group.read", "messages.read", "messages.write", "commands"];

interface BotDialogProps {
  group: Group;
  /** The bot to edit; omitted to create one. */
  bot?: Bot;
  onClose: () => void;
  onToken: (token: string) => void;
}

function BotDialog({ group, bot, onClose, onToken }: BotDialogProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const me = useMe();
  const authority = useAuthority(group);
  const roles = useRoles(group.id).data?.filter(authority.canManageRole) ?? [];
  const canSetScopes = bot === undefined || me.id === bot.createdBy || me.id === group.ownerId;
  const form = useForm({
    initial: { name: bot?.name ?? "", scopes: bot?.scopes ?? USUAL, roleIds: [] as string[] },
    async submit({ name, scopes, roleIds }) {
      if (bot === undefined) {
        const { token } = await call("bot.create", { groupId: group.id, name, scopes, roleIds });
        onToken(token);
      } else {
        await call("bot.update", {
          groupId: group.id,
          botId: bot.id,
          name,
          ...(canSetScopes && { scopes }),
        });
      }
      onClose();
    },
  });
  const { values, set } = form;
  const toggled = <T extends string>(list: readonly T[], item: T, isIn: boolean): T[] =>
    isIn ? [...list, item] : list.filter((each) => each !== item);
  return (
    <Dialog onClose={onClose} title={bot === undefined ? t("bots.create") : t("bots.edit")}>
      <Form
        form={form}
        action={bot === undefined ? t("bots.create") : t("save")}
        disabled={values.name.trim() === "" || !form.changed}
      >
        <TextField
          label={t("bots.name")}
          required
          autoFocus
          maxLength={LIMITS.nicknameMaxChars}
          autoComplete="off"
          {...form.field("name")}
        />
        {canSetScopes && (
          <fieldset className="grid gap-2.5">
            <legend className="mb-2 text-sm font-medium">{t("bots.scopes")}</legend>
            {BOT_SCOPES.map((scope) => (
              <Checkbox
                key={scope}
                label={t(`bots.scope.${scope}`)}
                checked={values.scopes.includes(scope)}
                onChange={(isOn) => set("scopes", toggled(values.scopes, scope, isOn))}
              />
            ))}
          </fieldset>
        )}
        {bot === undefined && roles.length > 0 && (
          <fieldset className="grid gap-2.5">
            <legend className="mb-2 text-sm font-medium">{t("bots.roles")}</legend>
            {roles.map((role) => (
              <Checkbox
                key={role.id}
                label={role.name}
                checked={values.roleIds.includes(role.id)}
                onChange={(isOn) => set("roleIds", toggled(values.roleIds, role.id, isOn))}
              />
            ))}
          </fieldset>
        )}
      </Form>
    </Dialog>
  );
}
