import type { Channel, Group } from "@fanfare/contract";
import { ErrorNote } from "../../shared/error-note.tsx";
import { ConnectionNote } from "../connection/connection-status.tsx";
import { InviteButton } from "../invites/invite-button.tsx";
import { Composer } from "./composer.tsx";
import { MessageList } from "./message-list.tsx";
import { useChannel } from "./use-channel.ts";
import { useReadMarker } from "./use-read-marker.ts";
import "./messages.css";

export function ChannelPage({ group, channel }: { group: Group; channel: Channel }) {
  const { view, snapshot, error } = useChannel(channel.id);
  useReadMarker(view, snapshot);
  return (
    <main className="channel">
      <header className="channel-head">
        <div>
          <h1>
            <span aria-hidden="true" className="hash">
              #{" "}
            </span>
            {channel.name}
          </h1>
          <p>
            {group.name} · {group.memberCount === 1 ? "1 member" : `${group.memberCount} members`}
          </p>
        </div>
        <InviteButton key={group.id} groupId={group.id} />
      </header>
      <ErrorNote text={error} />
      <MessageList view={view} snapshot={snapshot} />
      <ConnectionNote />
      <Composer view={view} channelName={channel.name} />
    </main>
  );
}
