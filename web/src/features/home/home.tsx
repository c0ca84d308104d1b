import type { ChannelState, Group } from "@fanfare/contract";
import { useEffect, useMemo, useState } from "react";
import { ErrorNote } from "../../shared/error-note.tsx";
import { channelPath, navigate, type Route } from "../../shared/route.ts";
import { type Live, useLive } from "../../shared/use-live.ts";
import { channelsSource } from "../channels/channels-source.ts";
import { CreateGroup } from "../groups/create-group.tsx";
import { groupsSource } from "../groups/groups-source.ts";
import { ChannelPage } from "../messages/channel-page.tsx";
import { useClient } from "../session/client-context.ts";
import { Sidebar } from "./sidebar.tsx";
import "./home.css";

/** Groups and channels beside the channel that is shown. */
export function Home({ route }: { route: Extract<Route, { page: "home" }> }) {
  const client = useClient();
  const groups = useLive(client, groupsSource);
  const group = groups.state?.find(({ id }) => id === route.groupId) ?? groups.state?.[0];
  const groupId = group?.id;
  const source = useMemo(() => (groupId === undefined ? null : channelsSource(groupId)), [groupId]);
  const channels = useLive(client, source);
  const channel = channels.state?.find(({ id }) => id === route.channelId);
  // Where the list was opened: going elsewhere closes it. On wide windows it is always there.
  const place = route.channelId ?? "";
  const [navOpenAt, setNavOpenAt] = useState<string | null>(null);
  const navOpen = navOpenAt === place;
  useFirstChannel(group, channels.state, channel !== undefined);
  return (
    <div className="home" data-nav-open={navOpen}>
      <Sidebar groups={groups.state} channels={channels.state} group={group} channelId={channel?.id} />
      <button
        className="nav-button"
        type="button"
        aria-label={navOpen ? "Close the list of channels" : "Open the list of channels"}
        aria-expanded={navOpen}
        onClick={() => setNavOpenAt(navOpen ? null : place)}
      >
        {navOpen ? "✕" : "☰"}
      </button>
      {group !== undefined && channel !== undefined ? (
        <ChannelPage key={channel.id} group={group} channel={channel} />
      ) : (
        <Nothing groups={groups} error={groups.error ?? channels.error} />
      )}
    </div>
  );
}

/** Where no channel is named, or one that is not there any more, the first of the group is shown. */
function useFirstChannel(
  group: Group | undefined,
  channels: readonly ChannelState[] | null,
  isShown: boolean,
): void {
  const first = channels?.[0];
  useEffect(() => {
    if (isShown || group === undefined || first?.groupId !== group.id) return;
    navigate(channelPath(group.id, first.id), { replace: true });
  }, [isShown, group, first]);
}

function Nothing({ groups, error }: { groups: Live<readonly Group[]>; error: string | null }) {
  return (
    <main className="nothing">
      <ErrorNote text={error} />
      {groups.state?.length === 0 && (
        <section className="card">
          <h1>Welcome to Fanfare</h1>
          <p>You are in no group yet. Make one, then invite others with a link.</p>
          <CreateGroup />
        </section>
      )}
    </main>
  );
}
