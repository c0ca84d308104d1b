import type { ChannelState, Group } from "@fanfare/contract";
import { useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { channelPath, navigate, type Route } from "../../shared/route.ts";
import { type Live, useLive } from "../../shared/use-live.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { channelsSource } from "../channels/channels-source.ts";
import { FirstGroup } from "./first-group.tsx";
import { Rail } from "./rail.tsx";
import { groupsSource } from "../groups/groups-source.ts";
import { ChannelPage } from "../messages/channel-page.tsx";
import { AppShell } from "../shell/app-shell.tsx";
import { useClient } from "../session/client-context.ts";
import { Sidebar } from "./sidebar.tsx";

/** Groups and channels beside the channel that is shown. */
export function Home({ route }: { route: Extract<Route, { page: "home" }> }) {
  const client = useClient();
  const groups = useLive(client, groupsSource);
  const group = groups.state?.find(({ id }) => id === route.groupId) ?? groups.state?.[0];
  const groupId = group?.id;
  const source = useMemo(() => (groupId === undefined ? null : channelsSource(groupId)), [groupId]);
  const channels = useLive(client, source);
  const channel = channels.state?.find(({ id }) => id === route.channelId);
  useFirstChannel(group, channels.state, channel !== undefined);
  return (
    <AppShell
      rail={<Rail groups={groups.state} groupId={group?.id} />}
      sidebar={<Sidebar channels={channels.state} group={group} channelId={channel?.id} />}
    >
      {group !== undefined && channel !== undefined ? (
        <ChannelPage key={channel.id} group={group} channel={channel} />
      ) : (
        <Nothing groups={groups} error={groups.error ?? channels.error} />
      )}
    </AppShell>
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
  const { t } = useTranslation("ui");
  if (groups.state?.length === 0) return <FirstGroup />;
  return (
    <div className="m-auto p-6">
      {error === null ? <Spinner label={t("loading")} /> : <ErrorNote text={error} />}
    </div>
  );
}
