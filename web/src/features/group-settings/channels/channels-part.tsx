import type { Group } from "@fanfare/contract";
import { Hash } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { channelTree } from "../../../data/channel-order.ts";
import { useChannels } from "../../../data/channels.ts";
import { errorText } from "../../../shared/error-text.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Select } from "../../../ui/select.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { ChannelSettings } from "../../channels/settings/channel-settings.tsx";

/** The settings of each channel, one at a time. */
export function ChannelsPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const { data: channels, error, refetch } = useChannels(group.id);
  const [chosenId, setChosenId] = useState<string | null>(null);
  if (channels === undefined) {
    if (error === null) return <SkeletonRows />;
    return <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />;
  }
  const { top, sections } = channelTree(channels);
  const listed = [
    ...top.map((channel) => ({ channel, label: `#${channel.name}` })),
    ...sections.flatMap(({ section, channels: inside }) =>
      inside.map((channel) => ({ channel, label: `${section.name} / #${channel.name}` })),
    ),
  ];
  const chosen = (listed.find(({ channel }) => channel.id === chosenId) ?? listed[0])?.channel;
  if (chosen === undefined) return <EmptyState icon={Hash} title={t("channels.none")} />;
  return (
    <div className="grid gap-6">
      <div className="max-w-sm">
        <Select
          label={t("channels.channel")}
          value={chosen.id}
          onChange={setChosenId}
          options={listed.map(({ channel, label }) => ({ value: channel.id, label }))}
        />
      </div>
      <ChannelSettings key={chosen.id} group={group} channel={chosen} />
    </div>
  );
}
