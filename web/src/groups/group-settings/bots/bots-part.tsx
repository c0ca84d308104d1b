import type { Bot, BotScope, Group } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import i18next from "i18next";
import { Bot as BotIcon, Ellipsis, KeyRound, Pencil, Plus, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useBots } from "../../../data/group-settings.ts";
import { useMe } from "../../../data/me.ts";
import { useUser } from "../../../data/people.ts";
import { formatTime } from "../../../shared/times.ts";
import { Avatar, Badge } from "../../../ui/display.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { Button, IconButton } from "../../../ui/button.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { openConfirm, openDialog } from "../../../ui/open-dialog.tsx";
import { EmptyState, Loaded } from "../../../ui/feedback.tsx";
import { Menu, type MenuList } from "../../../ui/menu.tsx";
import { SecretDialog } from "../../../shared/copy-field.tsx";
import { userName } from "../../../people/members/user-name.tsx";
import { useRoles } from "../../../data/groups.ts";
import { CheckboxList } from "../../../ui/checkbox.tsx";
import { TextField, useForm } from "../../../ui/form.tsx";
import { useAuthority } from "../authority.tsx";

export function BotsPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const list = useBots(group.id);
  const create = (
    <Button
      variant="primary"
      icon={Plus}
      disabled={(list.data?.length ?? 0) >= LIMITS.botsPerGroup}
      onClick={() => openDialog((onClose) => <BotDialog group={group} onClose={onClose} />)}
    >
      {t("bots.create")}
    </Button>
  );
  return (
    <div className="grid gap-5">
      <p className="text-muted">{t("bots.text")}</p>
      <Loaded of={list}>
        {(bots) =>
          bots.length === 0 ? (
            <EmptyState icon={BotIcon} title={t("bots.none")} text={t("bots.noneText")} action={create} />
          ) : (
            <>
              <div>{create}</div>
              <ul className="grid gap-px">
                {bots.map((bot) => (
                  <BotRow key={bot.id} group={group} bot={bot} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function BotRow({ group, bot }: { group: Group; bot: Bot }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const me = useMe();
  const maker = useUser(bot.createdBy);
  const user = useUser(bot.id);
  const holdsToken = me.id === bot.createdBy || me.id === group.ownerId;
  const params = { groupId: group.id, botId: bot.id };
  const edit = () => openDialog((onClose) => <BotDialog group={group} bot={bot} onClose={onClose} />);
  const rotate = () =>
    openConfirm({
      danger: true,
      title: t("bots.rotateTitle", { name: bot.name }),
      children: t("bots.rotateText"),
      action: t("bots.rotate"),
      onConfirm: async () => showToken((await call("bot.rotateToken", params)).token),
    });
  const remove = () =>
    openConfirm({
      danger: true,
      title: t("common:deleteTitle", { name: bot.name }),
      children: t("bots.deleteText"),
      action: t("bots.delete"),
      onConfirm: () => call("bot.delete", params),
    });
  const items: MenuList = [
    { label: t("bots.edit"), icon: Pencil, onSelect: edit },
    holdsToken && { label: t("bots.rotate"), icon: KeyRound, onSelect: rotate },
    { label: t("bots.delete"), icon: Trash2, danger: true, onSelect: remove },
  ];
  const facts = t("common:by", { name: userName(maker), date: formatTime(bot.createdAt, "date") });
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

function showToken(token: string): void {
  openDialog((onClose) => (
    <SecretDialog
      title={i18next.t("group-settings:bots.tokenTitle")}
      text={i18next.t("group-settings:bots.tokenOnce")}
      label={i18next.t("group-settings:bots.token")}
      secret={token}
      onClose={onClose}
    />
  ));
}

interface BotDialogProps {
  group: Group;
  /** The bot to edit; omitted to create one. */
  bot?: Bot;
  onClose: () => void;
}

function BotDialog({ group, bot, onClose }: BotDialogProps) {
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
        showToken(token);
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
  const { values, field } = form;
  return (
    <FormDialog
      onClose={onClose}
      title={bot === undefined ? t("bots.create") : t("bots.edit")}
      form={form}
      action={bot === undefined ? t("bots.create") : t("common:save")}
      disabled={values.name.trim() === "" || !form.changed}
    >
      <TextField
        label={t("bots.name")}
        required
        autoFocus
        maxLength={LIMITS.nicknameMaxChars}
        {...field("name")}
      />
      {canSetScopes && (
        <fieldset className="grid gap-2.5">
          <legend className="mb-2 text-sm font-medium">{t("bots.scopes")}</legend>
          <CheckboxList
            options={BOT_SCOPES.map((value) => ({ value, label: t(`bots.scope.${value}`) }))}
            {...field("scopes")}
          />
        </fieldset>
      )}
      {bot === undefined && roles.length > 0 && (
        <fieldset className="grid gap-2.5">
          <legend className="mb-2 text-sm font-medium">{t("common:roles")}</legend>
          <CheckboxList
            options={roles.map(({ id, name }) => ({ value: id, label: name }))}
            {...field("roleIds")}
          />
        </fieldset>
      )}
    </FormDialog>
  );
}
