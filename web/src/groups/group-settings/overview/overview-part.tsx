import type { Group } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../../data/call.ts";
import { useChannels } from "../../../data/groups.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { useAction } from "../../../shared/use-action.ts";
import { useHasDirectory } from "../../../session/server-meta.ts";
import { Button } from "../../../ui/button.tsx";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { Form, TextArea, TextField, useForm } from "../../../ui/form.tsx";
import { Select } from "../../../ui/select.tsx";
import { GroupIconField } from "../../add-group.tsx";
import { useUser } from "../../../data/people.ts";
import { landingPath } from "../../../routes.ts";
import { Section } from "../../../ui/settings-layout.tsx";
import { openConfirm } from "../../../ui/open-dialog.tsx";
import { MemberPicker } from "../../../people/members/pickers.tsx";
import { userName } from "../../../people/members/user-name.tsx";

const FIRST_SEEN = "";
const NOWHERE = "";

export function OverviewPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const hasDirectory = useHasDirectory();
  const channels = useChannels(group.id).data?.filter(({ kind }) => kind === "text") ?? [];
  const form = useForm({
    initial: {
      name: group.name,
      description: group.description,
      defaultChannelId: group.defaultChannelId ?? FIRST_SEEN,
      systemChannelId: group.systemChannelId ?? NOWHERE,
      listed: group.listed,
    },
    async submit({ defaultChannelId, systemChannelId, ...values }) {
      await call("group.update", {
        groupId: group.id,
        ...values,
        defaultChannelId: defaultChannelId === FIRST_SEEN ? null : defaultChannelId,
        systemChannelId: systemChannelId === NOWHERE ? null : systemChannelId,
      });
    },
    saved: t("common:saved"),
  });
  const optionsWith = (none: { value: string; label: string }, current: string | null) => {
    const isHidden = current !== null && !channels.some(({ id }) => id === current);
    const named = channels.map(({ id, name }) => ({ value: id, label: `#${name}` }));
    // The user can't see it, or the channels are loading.
    return [none, ...(isHidden ? [{ value: current, label: "#…" }] : []), ...named];
  };
  return (
    <div className="grid gap-8">
      <GroupIcon group={group} />
      <Form form={form} action={t("common:save")} disabled={!form.changed || form.values.name.trim() === ""}>
        <TextField
          label={t("groups:create.name")}
          required
          maxLength={LIMITS.groupNameMaxChars}
          {...form.field("name")}
        />
        <TextArea
          label={t("audit.field.description")}
          hint={t("overview.descriptionHint")}
          maxLength={LIMITS.groupDescriptionMaxChars}
          {...form.field("description")}
        />
        <Select
          label={t("overview.defaultChannel")}
          hint={t("overview.defaultChannelHint")}
          options={optionsWith(
            { value: FIRST_SEEN, label: t("overview.firstChannel") },
            group.defaultChannelId,
          )}
          {...form.field("defaultChannelId")}
        />
        <Select
          label={t("overview.systemChannel")}
          hint={t("overview.systemChannelHint")}
          options={optionsWith(
            { value: NOWHERE, label: t("overview.noSystemChannel") },
            group.systemChannelId,
          )}
          {...form.field("systemChannelId")}
        />
        {hasDirectory && (
          <Checkbox
            label={t("overview.listed")}
            hint={t("overview.listedHint")}
            checked={form.values.listed}
            onChange={(listed) => form.set("listed", listed)}
          />
        )}
      </Form>
    </div>
  );
}

/** A new icon is saved as soon as it is chosen. */
function GroupIcon({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const { client } = useServerCache();
  const call = useCall();
  const { busy, error, run } = useAction();
  const [chosen, setChosen] = useState<File | null>(null);
  const set = async (file: File) => {
    setChosen(file);
    await run(async () => {
      const { fileId } = await client.uploadPicture(file);
      await call("group.setIcon", { groupId: group.id, fileId });
    });
    setChosen(null);
  };
  return (
    <section aria-label={t("overview.icon")} className="grid gap-3">
      <GroupIconField
        name={group.name}
        id={group.id}
        iconUrl={group.iconUrl}
        file={chosen}
        disabled={busy}
        onChoose={(file) => void set(file)}
        more={
          group.iconUrl !== null && (
            <Button
              size="sm"
              variant="danger-ghost"
              disabled={busy}
              onClick={() => void run(() => call("group.removeIcon", { groupId: group.id }))}
            >
              {t("common:remove")}
            </Button>
          )
        }
      />
      <ErrorNote text={error} />
    </section>
  );
}

export function DangerPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const [, navigate] = useLocation();
  const [newOwnerIds, setNewOwnerIds] = useState<string[]>([]);
  const [typed, setTyped] = useState("");
  const newOwner = useUser(newOwnerIds[0]);
  const transfer = () =>
    openConfirm({
      danger: true,
      title: t("danger.transferTitle", { group: group.name, name: userName(newOwner) }),
      children: t("danger.transferConfirm"),
      action: t("groups:danger.transfer"),
      onConfirm: () => call("group.transfer", { groupId: group.id, userId: newOwnerIds[0]! }),
    });
  const remove = () =>
    openConfirm({
      danger: true,
      title: t("danger.deleteTitle", { group: group.name }),
      children: t("danger.deleteConfirm"),
      action: t("danger.delete"),
      async onConfirm() {
        await call("group.delete", { groupId: group.id });
        navigate(landingPath());
      },
    });
  return (
    <div className="grid gap-8">
      <Section title={t("groups:danger.transfer")}>
        <p className="text-muted">{t("danger.transferText")}</p>
        <MemberPicker
          groupId={group.id}
          label={t("danger.newOwner")}
          value={newOwnerIds}
          onChange={setNewOwnerIds}
          max={1}
        />
        <div>
          <Button disabled={newOwnerIds.length === 0} onClick={transfer}>
            {t("groups:danger.transfer")}
          </Button>
        </div>
      </Section>
      <section className="grid gap-3 rounded-lg border border-danger/50 p-5">
        <h2 className="text-lg font-semibold text-danger-text">{t("danger.delete")}</h2>
        <p className="text-muted">{t("danger.deleteText")}</p>
        <TextField
          label={t("danger.confirmName", { name: group.name })}
          value={typed}
          onChange={setTyped}
          spellCheck={false}
        />
        <div>
          <Button variant="danger" disabled={typed !== group.name} onClick={remove}>
            {t("danger.delete")}
          </Button>
        </div>
      </section>
    </div>
  );
}
