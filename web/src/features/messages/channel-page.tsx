import type { Channel, Group } from "@fanfare/contract";
import { Hash } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ErrorNote } from "../../ui/error-note.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { Composer } from "./composer.tsx";
import { MessageList } from "./message-list.tsx";
import { useChannel } from "./use-channel.ts";
import { useReadMarker } from "./use-read-marker.ts";
import "./messages.css";

export function ChannelPage({ group, channel }: { group: Group; channel: Channel }) {
  const { t } = useTranslation("home");
  const { view, snapshot, error } = useChannel(channel.id);
  useReadMarker(view, snapshot);
  return (
    <>
      <PageHeader
        icon={Hash}
        title={channel.name}
        subtitle={t("memberCount", { count: group.memberCount })}
      />
      <ErrorNote text={error} />
      <MessageList view={view} snapshot={snapshot} />
      <Composer view={view} channelName={channel.name} />
    </>
  );
}
