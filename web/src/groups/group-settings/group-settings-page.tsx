import type { Group } from "@fanfare/contract";
import { Hash, Webhook } from "lucide-react";
import { type ComponentType, useState } from "react";
import { useTranslation } from "react-i18next";
import { Redirect, useLocation } from "wouter";
import {
  channelsInOrder,
  channelTree,
  useCanInGroup,
  useChannels,
  useGroup,
  useGroups,
  useMyPermissions,
} from "../../data/groups.ts";
import { groupPath, groupSettingsPath, landingPath } from "../../routes.ts";
import { errorText } from "../../shared/use-action.ts";
import { EmptyState, ErrorNote, SkeletonRows, Pending } from "../../ui/feedback.tsx";
import { Select } from "../../ui/select.tsx";
import { SettingsLayout } from "../../ui/settings-layout.tsx";
import { ChannelWebhooks, ChannelSettings } from "../channels/settings/channel-settings.tsx";
import { InviteList, NewInviteForm } from "../invites/invites.tsx";
import { PageLoading } from "../../app/shell/page-header.tsx";
import { useOpenJoinRequests, useOpenReports } from "../../data/review-queues.ts";
import { AuditPart } from "./audit/audit-part.tsx";
import { BansPart, MembersPart } from "./members/members-part.tsx";
import { BotsPart } from "./bots/bots-part.tsx";
import { DangerPart, OverviewPart } from "./overview/overview-part.tsx";
import { EmojiPart } from "./emoji/emoji-part.tsx";
import { FilterPart } from "./filter/filter-part.tsx";
import { JoinRequestsPart } from "./join-requests/join-requests-part.tsx";
import { ReportsPart } from "./reports/reports-part.tsx";
import { RolesPart } from "./roles/roles-part.tsx";
import { type SettingsPartId, settingsPartsFor } from "./sections.ts";
import { StoragePart } from "./storage/storage-part.tsx";
import { Main } from "../../ui/main.tsx";
import { CountBadge } from "../../ui/display.tsx";

const PARTS: Record<SettingsPartId, ComponentType<{ group: Group }>> = {
  overview: OverviewPart,
  roles: RolesPart,
  channels: ChannelsPart,
  members: MembersPart,
  invites: InvitesPart,
  "join-requests": JoinRequestsPart,
  emoji: EmojiPart,
  reports: ReportsPart,
  bans: BansPart,
  "audit-log": AuditPart,
  filter: FilterPart,
  webhooks: WebhooksPart,
  bots: BotsPart,
  storage: StoragePart,
  danger: DangerPart,
};

/** Sections with rows of several columns. */
const WIDE: ReadonlySet<SettingsPartId> = new Set(["roles", "members", "audit-log"]);

/** Shows the sections that the user's permissions allow. */
export function GroupSettingsPage({ groupId, section }: { groupId: string; section: string | undefined }) {
  const { t } = useTranslation("group-settings");
  const [, navigate] = useLocation();
  const { data: groups } = useGroups();
  const group = useGroup(groupId);
  const openReports = useOpenReports(groupId);
  const openRequests = useOpenJoinRequests(groupId);
  const { data: own, error, refetch } = useMyPermissions(groupId);
  if (groups !== undefined && group === undefined) return <Redirect to={landingPath()} replace />;
  if (group === undefined || own === undefined) {
    if (error === null) return <PageLoading />;
    return (
      <Main className="m-auto p-6">
        <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />
      </Main>
    );
  }
  const offered = settingsPartsFor(own.permissions);
  const current = offered.find(({ id }) => id === section) ?? offered[0]!;
  const Part = PARTS[current.id];
  return (
    <SettingsLayout
      title={group.name}
      current={current.id}
      isWide={WIDE.has(current.id)}
      onClose={() => navigate(groupPath(groupId))}
      sections={offered.map(({ id, icon, textKey, ...rest }) => ({
        id,
        icon,
        label: t(textKey),
        href: groupSettingsPath(groupId, id),
        danger: "danger" in rest,
        badge:
          (id === "reports" && (
            <CountBadge count={openReports} label={t("groups:reports.open", { count: openReports })} />
          )) ||
          (id === "join-requests" && (
            <CountBadge count={openRequests} label={t("groups:joinRequests.open", { count: openRequests })} />
          )),
      }))}
    >
      <Part key={groupId} group={group} />
    </SettingsLayout>
  );
}

function InvitesPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const managesAll = useCanInGroup(group.id, "manageInvites");
  return (
    <div className="grid gap-6">
      <p className="text-muted">{managesAll ? t("invites.all") : t("invites.own")}</p>
      <NewInviteForm groupId={group.id} />
      <InviteList groupId={group.id} />
    </div>
  );
}

function WebhooksPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const channels = channelsInOrder(useChannels(group.id).data ?? []);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const chosen = channels.find(({ id }) => id === chosenId) ?? channels[0];
  if (chosen === undefined) return <EmptyState icon={Webhook} title={t("channels:list.empty")} />;
  return (
    <div className="grid gap-6">
      <Select
        label={t("channel")}
        value={chosen.id}
        onChange={setChosenId}
        options={channels.map(({ id, name }) => ({ value: id, label: `#${name}` }))}
      />
      <ChannelWebhooks key={chosen.id} channelId={chosen.id} />
    </div>
  );
}

function ChannelsPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const query = useChannels(group.id);
  const { data: channels } = query;
  const [chosenId, setChosenId] = useState<string | null>(null);
  if (channels === undefined)
    return (
      <Pending of={query}>
        <SkeletonRows />
      </Pending>
    );
  const { top, sections } = channelTree(channels);
  const listed = [
    ...top.map((channel) => ({ channel, label: `#${channel.name}` })),
    ...sections.flatMap(({ section, channels: inside }) =>
      inside.map((channel) => ({ channel, label: `${section.name} / #${channel.name}` })),
    ),
  ];
  const chosen = (listed.find(({ channel }) => channel.id === chosenId) ?? listed[0])?.channel;
  if (chosen === undefined) return <EmptyState icon={Hash} title={t("channels:list.empty")} />;
  return (
    <div className="grid gap-6">
      <div className="max-w-sm">
        <Select
          label={t("channel")}
          value={chosen.id}
          onChange={setChosenId}
          options={listed.map(({ channel, label }) => ({ value: channel.id, label }))}
        />
      </div>
      <ChannelSettings key={chosen.id} group={group} channel={chosen} />
    </div>
  );
}
