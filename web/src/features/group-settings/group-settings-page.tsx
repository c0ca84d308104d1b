import type { Group } from "@fanfare/contract";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { Redirect, useLocation } from "wouter";
import { useGroup, useGroups } from "../../data/groups.ts";
import { useMyPermissions } from "../../data/permissions.ts";
import { groupPath, groupSettingsPath, landingPath } from "../../routes.ts";
import { errorText } from "../../shared/error-text.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SettingsLayout } from "../../ui/settings-layout.tsx";
import { PageLoading } from "../shell/page-loading.tsx";
import { AuditPart } from "./audit/audit-part.tsx";
import { BansPart } from "./bans/bans-part.tsx";
import { BotsPart } from "./bots/bots-part.tsx";
import { ChannelsPart } from "./channels/channels-part.tsx";
import { DangerPart } from "./danger/danger-part.tsx";
import { FilterPart } from "./filter/filter-part.tsx";
import { InvitesPart } from "./invites/invites-part.tsx";
import { MembersPart } from "./members/members-part.tsx";
import { OverviewPart } from "./overview/overview-part.tsx";
import { RolesPart } from "./roles/roles-part.tsx";
import { type SettingsPartId, settingsPartsFor } from "./sections.ts";
import { StoragePart } from "./storage/storage-part.tsx";
import { WebhooksPart } from "./webhooks/webhooks-part.tsx";

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
