import type { Group, WordFilter } from "@fanfare/contract";
import { Hash, Webhook } from "lucide-react";
import { type ComponentType, useState } from "react";
import { useTranslation } from "react-i18next";
import { Redirect, useLocation } from "wouter";
import { LIMITS } from "@fanfare/contract/limits";
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
import { EmptyState, ErrorNote, Skeleton, SkeletonRows, Pending } from "../../ui/feedback.tsx";
import { Select } from "../../ui/select.tsx";
import { SettingsLayout } from "../../ui/settings-layout.tsx";
import { ChannelWebhooks, ChannelSettings } from "../channels/settings/channel-settings.tsx";
import { InviteList, NewInviteForm } from "../invites/invites.tsx";
import { PageLoading } from "../../app/shell/page-header.tsx";
import { ON_OPEN, useActionQuery } from "../../data/data-context.ts";
import { useFormats } from "../../shared/formats.ts";
import { useCall } from "../../data/call.ts";
import { useWordFilter } from "../../data/group-settings.ts";
import { Form, TextArea, useForm } from "../../ui/form.tsx";
import { RadioGroup } from "../../ui/choices.tsx";
import { AuditPart } from "./audit/audit-part.tsx";
import { BansPart } from "./bans/bans-part.tsx";
import { BotsPart } from "./bots/bots-part.tsx";
import { DangerPart } from "./danger/danger-part.tsx";
import { MembersPart } from "./members/members-part.tsx";
import { OverviewPart } from "./overview/overview-part.tsx";
import { RolesPart } from "./roles/roles-part.tsx";
import { type SettingsPartId, settingsPartsFor } from "./sections.ts";
import { ExportGroup, RetentionForm } from "./storage/storage-forms.tsx";

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

/** Sections with rows of several columns. */
const WIDE: ReadonlySet<SettingsPartId> = new Set(["roles", "members", "audit-log"]);

/** Shows the sections that the user's permissions allow. */
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
      isWide={WIDE.has(current.id)}
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

function WebhooksPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const channels = channelsInOrder(useChannels(group.id).data ?? []);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const chosen = channels.find(({ id }) => id === chosenId) ?? channels[0];
  if (chosen === undefined) return <EmptyState icon={Webhook} title={t("channels.none")} />;
  return (
    <div className="grid gap-6">
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
        aria-label={t("storage.usage")}
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
  if (chosen === undefined) return <EmptyState icon={Hash} title={t("channels.none")} />;
  return (
    <div className="grid gap-6">
      <div className="max-w-sm">
        <Select
          label={t("channels.channel")}
          value={chosen.id}
          onChange={setChosenId}
          options={listed.map(({ channel, label }) => ({ value: channel.id, label }))}
        />
      </div>
      <ChannelSettings key={chosen.id} group={group} channel={chosen} />
    </div>
  );
}

export function FilterPart({ group }: { group: Group }) {
  const filter = useWordFilter(group.id);
  if (filter.data !== undefined) return <FilterForm groupId={group.id} filter={filter.data} />;
  return (
    <Pending of={filter}>
      <SkeletonRows />
    </Pending>
  );
}

function FilterForm({ groupId, filter }: { groupId: string; filter: WordFilter }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const form = useForm({
    initial: { words: filter.words.join("\n"), onHit: filter.onHit },
    submit: ({ words, onHit }) => call("group.setWordFilter", { groupId, words: wordsOf(words), onHit }),
    saved: t("saved"),
  });
  const words = wordsOf(form.values.words);
  const tooLong = words.find((word) => word.length > LIMITS.filteredWordMaxChars);
  const tooMany = words.length > LIMITS.wordsPerFilter;
  const problem = tooMany
    ? t("filter.tooMany", { count: words.length, max: LIMITS.wordsPerFilter })
    : tooLong === undefined
      ? null
      : t("filter.tooLong", { word: tooLong, max: LIMITS.filteredWordMaxChars });
  return (
    <div>
      <Form form={form} action={t("save")} disabled={!form.changed || problem !== null}>
        <p className="text-muted">{t("filter.text")}</p>
        <TextArea
          label={t("filter.words")}
          hint={t("filter.hint", { count: words.length })}
          className="min-h-40!"
          spellCheck={false}
          {...form.field("words")}
          error={problem ?? form.field("words").error}
        />
        <RadioGroup
          label={t("filter.onHit")}
          value={form.values.onHit}
          onChange={(onHit) => form.set("onHit", onHit)}
          options={[
            { value: "block", label: t("filter.block"), hint: t("filter.blockHint") },
            { value: "mask", label: t("filter.mask"), hint: t("filter.maskHint") },
          ]}
        />
      </Form>
    </div>
  );
}

/** One per line, without empty lines and duplicates. */
function wordsOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines)].filter((word) => word !== "");
}
