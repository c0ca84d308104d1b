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
import { Section } from "../../settings/section.tsx";
import { EmptyState, ErrorNote, Skeleton, SkeletonRows, Pending } from "../../ui/feedback.tsx";
import { Select } from "../../ui/select.tsx";
import { SettingsLayout } from "../../ui/settings-layout.tsx";
import { ChannelWebhooks, ChannelSettings } from "../channels/settings/channel-settings.tsx";
import { InviteList, NewInviteForm } from "../invites/invites.tsx";
import { PageLoading } from "../../app/shell/page-header.tsx";
import { ON_OPEN, useActionQuery } from "../../data/data-context.ts";
import { useFormats } from "../../shared/formats.ts";
import { useOpenJoinRequests } from "../../data/join-requests.ts";
import { useOpenReports } from "../../data/reports.ts";
import { AuditPart } from "./audit/audit-part.tsx";
import { BansPart } from "./bans/bans-part.tsx";
import { BotsPart } from "./bots/bots-part.tsx";
import { DangerPart } from "./danger/danger-part.tsx";
import { EmojiPart } from "./emoji/emoji-part.tsx";
import { FilterPart } from "./filter/filter-part.tsx";
import { JoinRequestsPart } from "./join-requests/join-requests-part.tsx";
import { MembersPart } from "./members/members-part.tsx";
import { OverviewPart } from "./overview/overview-part.tsx";
import { ReportsPart } from "./reports/reports-part.tsx";
import { RolesPart } from "./roles/roles-part.tsx";
import { type SettingsPartId, settingsPartsFor } from "./sections.ts";
import { ExportGroup, RetentionForm } from "./storage/storage-forms.tsx";
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
            <CountBadge count={openReports} label={t("reports.open", { count: openReports })} />
          )) ||
          (id === "join-requests" && (
            <CountBadge count={openRequests} label={t("joinRequests.open", { count: openRequests })} />
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

function StoragePart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const isOwner = useCanInGroup(group.id, "ownGroup");
  return (
    <div className="grid gap-8">
      <Section title={t("messages:files.title")}>
        <Usage groupId={group.id} />
      </Section>
      <Section title={t("storage.retention")}>
        <RetentionForm group={group} />
      </Section>
      {isOwner && (
        <Section title={t("storage.export")}>
          <ExportGroup group={group} />
        </Section>
      )}
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

export function Usage({ groupId }: { groupId: string }) {
  const { t } = useTranslation("group-settings");
  const { bytes } = useFormats();
  const usage = useActionQuery("file.getGroupUsage", { groupId }, ON_OPEN);
  const { data } = usage;
  if (data === undefined)
    return (
      <Pending of={usage}>
        <Skeleton className="h-8" />
      </Pending>
    );
  const { usedBytes, maxBytes } = data;
  if (maxBytes === null)
    return <p className="text-sm text-muted">{t("storage.usedOnly", { used: bytes(usedBytes) })}</p>;
  const text = t("storage.used", { used: bytes(usedBytes), max: bytes(maxBytes) });
  return (
    <>
      <meter
        min={0}
        max={Math.max(1, maxBytes)}
        value={usedBytes}
        aria-label={t("messages:files.title")}
        className="sr-only"
      >
        {text}
      </meter>
      <div aria-hidden className="h-2.5 overflow-hidden rounded-full bg-selected">
        <div
          className="h-full rounded-full bg-accent"
          style={{ width: `${Math.min(100, (usedBytes / Math.max(1, maxBytes)) * 100)}%` }}
        />
      </div>
      <p className="text-sm text-muted">{text}</p>
    </>
  );
}

export function ChannelsPart({ group }: { group: Group }) {
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
