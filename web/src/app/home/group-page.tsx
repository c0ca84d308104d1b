import { Hash } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Redirect } from "wouter";
import { channelsInOrder, useChannels, useGroup, useGroups } from "../../data/groups.ts";
import { useMe } from "../../data/me.ts";
import { channelPath } from "../../routes.ts";
import { errorText } from "../../shared/use-action.ts";
import { lastChannelOf } from "../../state/last-channel.ts";
import { EmptyState, ErrorNote } from "../../ui/feedback.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { PageLoading } from "../shell/page-loading.tsx";
import { NotThere } from "./not-there.tsx";

/** A group without a channel: goes to the one that was shown last, else to the group's own choice, else to the first. */
export function GroupPage({ groupId }: { groupId: string }) {
  const { t } = useTranslation("home");
  const me = useMe();
  const { data: groups } = useGroups();
  const group = useGroup(groupId);
  const { data: channels, error, refetch } = useChannels(groupId);
  if (groups !== undefined && group === undefined) return <NotThere what="group" />;
  if (channels === undefined || group === undefined) {
    if (error === null) return <PageLoading />;
    return (
      <div className="m-auto p-6">
        <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />
      </div>
    );
  }
  const ids = channelsInOrder(channels).map(({ id }) => id);
  const wanted = [lastChannelOf(me.id, groupId), group.defaultChannelId, ids[0]];
  const target = wanted.find((id) => typeof id === "string" && ids.includes(id));
  if (typeof target === "string") return <Redirect to={channelPath(groupId, target)} replace />;
  return (
    <>
      <PageHeader title={group.name} />
      <EmptyState icon={Hash} title={t("noChannels")} text={t("noChannelsText")} />
    </>
  );
}
