import type { Group } from "@fanfare/contract";
import { Webhook } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { channelsInOrder } from "../../../data/channel-order.ts";
import { useChannels } from "../../../data/channels.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Select } from "../../../ui/select.tsx";
import { ChannelWebhooks } from "../../channels/settings/channel-webhooks.tsx";

/** The webhooks of each channel, one at a time. */
export function WebhooksPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const channels = channelsInOrder(useChannels(group.id).data ?? []);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const chosen = channels.find(({ id }) => id === chosenId) ?? channels[0];
  if (chosen === undefined) return <EmptyState icon={Webhook} title={t("channels.none")} />;
  return (
    <div className="grid max-w-xl gap-6">
      <Select
        label={t("channels.channel")}
        value={chosen.id}
        onChange={setChosenId}
        options={channels.map(({ id, name }) => ({ value: id, label: `#${name}` }))}
      />
      <ChannelWebhooks key={chosen.id} channelId={chosen.id} />
    </div>
  );
}
