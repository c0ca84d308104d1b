import type { Group, ChannelState, Webhook } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { hasMessages, useChannels, useChannelPermissions } from "../../../data/groups.ts";
import { Dialog, ConfirmDialog } from "../../../ui/dialog.tsx";
import { LIMITS } from "@fanfare/contract/limits";
import { hasPermission } from "@fanfare/contract/permissions";
import { useState } from "react";
import { useCall } from "../../../data/call.ts";
import { Form, TextArea, TextField, useForm } from "../../../ui/form.tsx";
import { type Tab, Tabs } from "../../../ui/tabs.tsx";
import { EmptyState, SkeletonRows } from "../../../ui/feedback.tsx";
import { ChannelOverrides } from "./channel-overrides.tsx";
import { Trash2, Webhook as WebhookIcon } from "lucide-react";
import { useWebhooks } from "../../../data/group-settings.ts";
import { useUser } from "../../../data/people.ts";
import { useFormats } from "../../../shared/formats.ts";
import { formatTime } from "../../../shared/times.ts";
import { Avatar } from "../../../ui/display.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { IconButton } from "../../../ui/button.tsx";
import { userName } from "../../../people/members/user-name.tsx";
import { Rows } from "../../../shared/paged-list.tsx";
import { SecretDialog } from "../../../shared/copy-field.tsx";
import { NumberSelect, type NumberSelectProps, Select, type SelectProps } from "../../../ui/select.tsx";

interface ChannelSettingsDialogProps {
  group: Group;
  channelId: string;
  onClose: () => void;
}

export function ChannelSettingsDialog({ group, channelId, onClose }: ChannelSettingsDialogProps) {
  const { t } = useTranslation("channels");
  const channel = useChannels(group.id).data?.find(({ id }) => id === channelId);
  // Deleted or hidden in the meantime.
  if (channel === undefined) return null;
  return (
    <Dialog onClose={onClose} size="lg" title={t("settings.title", { name: channel.name })}>
      <ChannelSettings group={group} channel={channel} />
    </Dialog>
  );
}

type Part = "overview" | "permissions" | "webhooks";

/** Use the channel's ID as the key. */
export function ChannelSettings({ group, channel }: { group: Group; channel: ChannelState }) {
  const { t } = useTranslation("channels");
  const permissions = useChannelPermissions(channel);
  const tabs: (Tab<Part> | false)[] = [
    hasPermission(permissions, "manageChannels") && {
      value: "overview",
      label: t("common:overview"),
      content: <ChannelOverview channel={channel} />,
    },
    hasPermission(permissions, "manageRoles") && {
      value: "permissions",
      label: t("group-settings:audit.field.permissions"),
      content: <ChannelOverrides group={group} channel={channel} permissions={permissions} />,
    },
    hasPermission(permissions, "manageWebhooks") && {
      value: "webhooks",
      label: t("groups:section.webhooks"),
      content: <ChannelWebhooks channelId={channel.id} />,
    },
  ];
  const offered = tabs.filter((tab) => tab !== false);
  const [chosen, setChosen] = useState<Part>("overview");
  const current = offered.find(({ value }) => value === chosen) ?? offered[0];
  if (current === undefined) return <p className="text-muted">{t("settings.empty")}</p>;
  return <Tabs label={t("settings.label")} tabs={offered} value={current.value} onChange={setChosen} />;
}

function ChannelOverview({ channel }: { channel: ChannelState }) {
  const { t } = useTranslation("channels");
  const call = useCall();
  const form = useForm({
    initial: {
      name: channel.name,
      topic: channel.topic,
      sectionId: channel.sectionId ?? NO_SECTION,
      slowModeSeconds: channel.slowModeSeconds,
    },
    async submit(values) {
      const sectionId = values.sectionId === NO_SECTION ? null : values.sectionId;
      await call("channel.update", { channelId: channel.id, ...values, sectionId });
    },
    saved: t("common:saved"),
  });
  return (
    <Form form={form} action={t("common:save")} disabled={!form.changed || form.values.name.trim() === ""}>
      <TextField
        label={t("create.name")}
        required
        maxLength={LIMITS.channelNameMaxChars}
        {...form.field("name")}
      />
      {hasMessages(channel) && (
        <>
          <TextArea
            label={t("group-settings:audit.field.topic")}
            hint={t("topicHint")}
            maxLength={LIMITS.topicMaxChars}
            {...form.field("topic")}
          />
          <SectionSelect groupId={channel.groupId!} {...form.field("sectionId")} />
          <SlowModeSelect {...form.field("slowModeSeconds")} />
        </>
      )}
    </Form>
  );
}

/** Programs whose own payloads the server formats, and chats whose formats it accepts from any program. */
const SERVICES = ["GitHub", "GitLab", "Gitea", "Grafana", "Alertmanager", "Sentry", "Jenkins", "Uptime Kuma"];
const CHATS = ["Slack", "Discord", "Mattermost"];
/** Programs that prove with a secret that they sent a message. */
const SIGNING = ["GitHub", "GitLab", "Gitea", "Sentry"];

export function ChannelWebhooks({ channelId }: { channelId: string }) {
  const { t } = useTranslation("channels");
  const { either } = useFormats();
  const call = useCall();
  const [address, setAddress] = useState<string | null>(null);
  const [deleted, setDeleted] = useState<Webhook | null>(null);
  const form = useForm({
    initial: { name: "", secret: "" },
    async submit({ name, secret }) {
      const { path } = await call("webhook.create", {
        channelId,
        name,
        secret: secret === "" ? null : secret,
      });
      setAddress(new URL(path, location.origin).href);
      form.set("name", "");
    },
  });
  return (
    <div className="grid gap-5">
      <div className="grid gap-2 text-muted">
        <p>{t("webhooks.text")}</p>
        <p>{t("webhooks.formats", { services: either(SERVICES), chats: either(CHATS) })}</p>
      </div>
      <Form form={form} action={t("webhooks.create")} disabled={form.values.name.trim() === ""}>
        <TextField
          label={t("webhooks.name")}
          required
          maxLength={LIMITS.nicknameMaxChars}
          {...form.field("name")}
        />
        <TextField
          label={t("webhooks.secret")}
          hint={t("webhooks.secretHint", { services: either(SIGNING) })}
          maxLength={LIMITS.secretMaxChars}
          {...form.field("secret")}
        />
      </Form>
      <Rows
        of={useWebhooks(channelId)}
        className="grid gap-1"
        placeholder={<SkeletonRows count={2} withAvatar />}
        empty={<EmptyState icon={WebhookIcon} title={t("webhooks.empty")} text={t("webhooks.emptyText")} />}
      >
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} onDelete={() => setDeleted(webhook)} />}
      </Rows>
      {address !== null && (
        <SecretDialog
          title={t("webhooks.created")}
          text={t("webhooks.once")}
          label={t("webhooks.address")}
          secret={address}
          hint={t("webhooks.suffix", { example: "/slack" })}
          onClose={() => setAddress(null)}
        />
      )}
      {deleted !== null && (
        <ConfirmDialog
          danger
          onClose={() => setDeleted(null)}
          title={t("common:deleteTitle", { name: deleted.name })}
          action={t("webhooks.delete")}
          onConfirm={() => call("webhook.delete", { channelId, webhookId: deleted.id })}
        >
          {t("webhooks.deleteText")}
        </ConfirmDialog>
      )}
    </div>
  );
}

function WebhookRow({ webhook, onDelete }: { webhook: Webhook; onDelete: () => void }) {
  const { t } = useTranslation("channels");
  const maker = useUser(webhook.createdBy);
  return (
    <ListRow
      leading={<Avatar id={webhook.id} name={webhook.name} src={webhook.avatarUrl} />}
      title={webhook.name}
      subtitle={t("common:by", {
        name: userName(maker),
        date: formatTime(webhook.createdAt, "date"),
      })}
      trailing={
        <IconButton
          icon={Trash2}
          label={t("common:deleteTitle", { name: webhook.name })}
          variant="danger"
          onClick={onDelete}
        />
      }
    />
  );
}

/** Stands for the server's null in a select. */
export const NO_SECTION = "";

interface SectionSelectProps extends Pick<SelectProps<string>, "value" | "onChange" | "error"> {
  groupId: string;
}

/** Empty for groups without sections. */
export function SectionSelect({ groupId, ...field }: SectionSelectProps) {
  const { t } = useTranslation("channels");
  const sections = useChannels(groupId).data?.filter(({ kind }) => kind === "section") ?? [];
  if (sections.length === 0) return null;
  return (
    <Select
      label={t("create.section")}
      options={[
        { value: NO_SECTION, label: t("create.noSection") },
        ...sections.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      {...field}
    />
  );
}

const SLOW_MODES = [0, 5, 10, 30, 60, 300, 900, 3600, 21_600];

type SlowModeSelectProps = Pick<NumberSelectProps, "value" | "onChange">;

export function SlowModeSelect(field: SlowModeSelectProps) {
  const { t } = useTranslation("channels");
  const { wholeDuration } = useFormats();
  return (
    <NumberSelect
      label={t("slowMode.label")}
      hint={t("slowMode.hint")}
      choices={SLOW_MODES}
      textOf={(seconds) => (seconds === 0 ? t("slowMode.off") : wholeDuration(seconds * 1000))}
      {...field}
    />
  );
}
