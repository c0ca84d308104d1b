import type { ChannelState, Group } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChannelPermissions } from "../../../data/permissions.ts";
import { type Tab, Tabs } from "../../../ui/tabs.tsx";
import { ChannelOverview } from "./channel-overview.tsx";
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
