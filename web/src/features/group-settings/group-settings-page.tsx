import type { Group } from "@fanfare/contract";
import { Webhook } from "lucide-react";
import { type ComponentType, useState } from "react";
import { useTranslation } from "react-i18next";
import { Redirect, useLocation } from "wouter";
import { channelsInOrder } from "../../data/channel-order.ts";
import { useChannels } from "../../data/channels.ts";
import { useGroup, useGroups } from "../../data/groups.ts";
import { useMyPermissions, useCanInGroup } from "../../data/permissions.ts";
import { groupPath, groupSettingsPath, landingPath } from "../../routes.ts";
import { errorText } from "../../shared/error-text.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Select } from "../../ui/select.tsx";
import { SettingsLayout } from "../../ui/settings-layout.tsx";
import { ChannelWebhooks } from "../channels/settings/channel-webhooks.tsx";
import { InviteList } from "../invites/invite-list.tsx";
import { NewInviteForm } from "../invites/new-invite-form.tsx";
import { PageLoading } from "../shell/page-loading.tsx";
import { AuditPart } from "./audit/audit-part.tsx";
import { BansPart } from "./bans/bans-part.tsx";
import { BotsPart } from "./bots/bots-part.tsx";
import { ChannelsPart } from "./channels/channels-part.tsx";
import { DangerPart } from "./danger/danger-part.tsx";
import { FilterPart } from "./filter/filter-part.tsx";
import { MembersPart } from "./members/members-part.tsx";
import { OverviewPart } from "./overview/overview-part.tsx";
import { RolesPart } from "./roles/roles-part.tsx";
import { type SettingsPartId, settingsPartsFor } from "./sections.ts";
import { ExportGroup } from "./storage/export-group.tsx";
import { RetentionForm } from "./storage/retention-form.tsx";
import { Usage } from "./storage/usage.tsx";

const PARTS: Record<SettingsPartId, ComponentType<{ group: Group }>> = {
  overview: OverviewPart,
  roles: RolesPart,
  channels: ChannelsPart,
  members: MembersPart,
  invites: InvitesPart,
  bans: BansPart,
  "audit-log": AuditPart,
  filter: FilterPart,
  webhooks: WebhooksPart,
  bots: BotsPart,
  storage: StoragePart,
  danger: DangerPart,
};

/** Everything about a group that its members may look at or change, by their permissions. */
export function GroupSettingsPage({ groupId, section }: { groupId: string; section: string | undefined }) {
  const { t } = useTranslation("group-settings");
  const [, navigate] = useLocation();
  const { data: groups } = useGroups();
  const group = useGroup(groupId);
  const { data: own, error, refetch } = useMyPermissions(groupId);
  if (groups !== undefined && group === undefined) return <Redirect to={landingPath()} replace />;
  if (group === undefined || own === undefined) {
    if (error === null) return <PageLoading />;
    return (
      <main id="main" className="m-auto p-6">
        <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />
      </main>
    );
  }
  const offered = settingsPartsFor(own.permissions);
  const current = offered.find(({ id }) => id === section) ?? offered[0]!;
  const Part = PARTS[current.id];
  return (
    <SettingsLayout
      title={group.name}
      current={current.id}
      onClose={() => navigate(groupPath(groupId))}
      sections={offered.map(({ id, icon, textKey, ...rest }) => ({
        id,
        icon,
        label: t(textKey),
        href: groupSettingsPath(groupId, id),
        danger: "danger" in rest,
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
    <div className="grid max-w-2xl gap-6">
      <p className="text-muted">{managesAll ? t("invites.all") : t("invites.own")}</p>
      <NewInviteForm groupId={group.id} />
      <InviteList groupId={group.id} />
    </div>
  );
}

/** How much room the files take, how long messages are kept, and all of the group as a file. */
function StoragePart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const isOwner = useCanInGroup(group.id, "ownGroup");
  return (
    <div className="grid max-w-xl gap-8">
      <section className="grid gap-3">
        <h2 className="text-lg font-semibold">{t("storage.usage")}</h2>
        <Usage groupId={group.id} />
      </section>
      <section className="grid gap-3">
        <h2 className="text-lg font-semibold">{t("storage.retention")}</h2>
        <RetentionForm group={group} />
      </section>
      {isOwner && (
        <section className="grid gap-3">
          <h2 className="text-lg font-semibold">{t("storage.export")}</h2>
          <ExportGroup group={group} />
        </section>
      )}
    </div>
  );
}

/** The webhooks of each channel, one at a time. */
function WebhooksPart({ group }: { group: Group }) {
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
