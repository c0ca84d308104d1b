import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useChannels } from "../../../data/groups.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { ChannelSettings } from "./channel-settings.tsx";

interface ChannelSettingsDialogProps {
  group: Group;
  channelId: string;
  onClose: () => void;
}

export function ChannelSettingsDialog({ group, channelId, onClose }: ChannelSettingsDialogProps) {
  const { t } = useTranslation("channels");
  const channel = useChannels(group.id).data?.find(({ id }) => id === channelId);
  // Deleted meanwhile, or hidden.
  if (channel === undefined) return null;
  return (
    <Dialog open onClose={onClose} size="lg" title={t("settings.title", { name: channel.name })}>
      <ChannelSettings group={group} channel={channel} />
    </Dialog>
  );
}
