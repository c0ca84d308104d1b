import type { ChannelState, Group } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { hasPermission } from "@fanfare/contract/permissions";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useChannelPermissions } from "../../../data/groups.ts";
import { Form } from "../../../ui/form.tsx";
import { type Tab, Tabs } from "../../../ui/tabs.tsx";
import { TextArea, TextField } from "../../../ui/text-field.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { NO_SECTION, SectionSelect } from "../section-select.tsx";
import { SlowModeSelect } from "../slow-mode-select.tsx";
import { ChannelOverrides } from "./channel-overrides.tsx";
import { ChannelWebhooks } from "./channel-webhooks.tsx";

type Part = "overview" | "permissions" | "webhooks";

/** What can be changed about a channel, by what one may there. Make it anew for another channel: give it its id as the key. */
export function ChannelSettings({ group, channel }: { group: Group; channel: ChannelState }) {
  const { t } = useTranslation("channels");
  const permissions = useChannelPermissions(channel);
  const tabs: (Tab<Part> | false)[] = [
    hasPermission(permissions, "manageChannels") && {
      value: "overview",
      label: t("settings.overview"),
      content: <ChannelOverview channel={channel} />,
    },
    hasPermission(permissions, "manageRoles") && {
      value: "permissions",
      label: t("settings.permissions"),
      content: <ChannelOverrides group={group} channel={channel} permissions={permissions} />,
    },
    hasPermission(permissions, "manageWebhooks") && {
      value: "webhooks",
      label: t("settings.webhooks"),
      content: <ChannelWebhooks channelId={channel.id} />,
    },
  ];
  const offered = tabs.filter((tab) => tab !== false);
  const [chosen, setChosen] = useState<Part>("overview");
  const current = offered.find(({ value }) => value === chosen) ?? offered[0];
  if (current === undefined) return <p className="text-muted">{t("settings.nothing")}</p>;
  return <Tabs label={t("settings.label")} tabs={offered} value={current.value} onChange={setChosen} />;
}

/** Name, topic, section and slow mode. */
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
      showToast({ text: t("settings.saved"), tone: "good" });
    },
  });
  return (
    <Form form={form} action={t("save")} disabled={!form.changed || form.values.name.trim() === ""}>
      <TextField
        label={t("create.name")}
        required
        maxLength={LIMITS.channelNameMaxChars}
        autoComplete="off"
        {...form.field("name")}
      />
      {channel.kind === "text" && (
        <>
          <TextArea
            label={t("topic")}
            hint={t("topicHint")}
            maxLength={LIMITS.topicMaxChars}
            {...form.field("topic")}
          />
          <SectionSelect groupId={channel.groupId!} {...form.field("sectionId")} />
          <SlowModeSelect
            value={form.values.slowModeSeconds}
            onChange={(seconds) => form.set("slowModeSeconds", seconds)}
          />
        </>
      )}
    </Form>
  );
}
