import type { Bot, BotScope, Group } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { useRoles } from "../../../data/roles.ts";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form } from "../../../ui/form.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { useAuthority } from "../use-authority.ts";

/** All of them: the compiler sees to it. */
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

/** What the token of a bot can be good for. */
const BOT_SCOPES = Object.keys(ALL) as BotScope[];

const USUAL: BotScope[] = ["group.read", "messages.read", "messages.write", "commands"];

interface BotDialogProps {
  group: Group;
  /** The one to change; a new one without it. */
  bot?: Bot;
  onClose: () => void;
  /** Gets the token of a new bot. */
  onToken: (token: string) => void;
}

/** Name, scopes and, for a new one, the roles of a bot. */
export function BotDialog({ group, bot, onClose, onToken }: BotDialogProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const me = useMe();
  const authority = useAuthority(group);
  const roles = useRoles(group.id).data?.filter(authority.mayTouchRole) ?? [];
  const maySetScopes = bot === undefined || me.id === bot.createdBy || me.id === group.ownerId;
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
          ...(maySetScopes && { scopes }),
        });
      }
      onClose();
    },
  });
  const { values, set } = form;
  const toggled = <T extends string>(list: readonly T[], item: T, isIn: boolean): T[] =>
    isIn ? [...list, item] : list.filter((held) => held !== item);
  return (
    <Dialog open onClose={onClose} title={bot === undefined ? t("bots.create") : t("bots.edit")}>
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
        {maySetScopes && (
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
