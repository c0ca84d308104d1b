import type { AuditEntry, Group } from "@fanfare/contract";
import { ClipboardList } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type PermissionName, PERMISSIONS } from "@fanfare/contract/permissions";
import { useChannels, useRoles } from "../../../data/groups.ts";
import { useAuditLog } from "../../../data/group-settings.ts";
import { useUser } from "../../../data/people.ts";
import { colorText, useFormats } from "../../../shared/formats.ts";
import { PagedRows } from "../../../shared/paged-list.tsx";
import { dayAndTime } from "../../../shared/times.ts";
import { Avatar } from "../../../ui/display.tsx";
import { EmptyState, SkeletonRows } from "../../../ui/feedback.tsx";
import { Select } from "../../../ui/select.tsx";
import { MemberPicker } from "../../../people/members/pickers.tsx";
import { userName } from "../../../people/members/user-name.tsx";
import { ACTION_MANIFEST, type ClientFacts } from "@fanfare/contract/manifest";

const ANY = "";

export function AuditPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const [action, setAction] = useState(ANY);
  const [actorIds, setActorIds] = useState<string[]>([]);
  const [actorId] = actorIds;
  const log = useAuditLog(group.id, {
    ...(action !== ANY && { action }),
    ...(actorId !== undefined && { actorId }),
  });
  return (
    <div className="grid gap-5">
      <div className="grid items-start gap-4 md:grid-cols-2">
        <Select
          label={t("audit.filterAction")}
          value={action}
          onChange={setAction}
          options={[
            { value: ANY, label: t("audit.anyAction") },
            ...AUDITED_ACTIONS.map((name) => ({ value: name as string, label: t(`audit.short.${name}`) })),
          ]}
        />
        <MemberPicker
          groupId={group.id}
          label={t("audit.filterActor")}
          value={actorIds}
          onChange={setActorIds}
          max={1}
        />
      </div>
      <PagedRows
        pages={log}
        className="grid"
        placeholder={<SkeletonRows count={8} withAvatar />}
        empty={<EmptyState icon={ClipboardList} title={t("audit.none")} text={t("audit.noneText")} />}
      >
        {(entry) => (
          <li key={entry.id} className="border-b border-line last:border-0">
            <AuditRow group={group} entry={entry} />
          </li>
        )}
      </PagedRows>
    </div>
  );
}

function AuditRow({ group, entry }: { group: Group; entry: AuditEntry }) {
  const { t, i18n } = useTranslation("group-settings");
  const actor = useUser(entry.actorId);
  const names = useTargetNames(group, entry);
  const { isSection, ...targets } = names;
  const action = isSection ? entry.action.replace("channel.", "section.") : sentenceOf(entry);
  const known = i18n.exists(`group-settings:audit.sentence.${action}`);
  const values = { actor: userName(actor), action: entry.action, ...targets };
  return (
    <div className="flex gap-3 py-3">
      <Avatar id={entry.actorId} name={actor?.nickname ?? ""} src={actor?.avatarUrl} />
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="wrap-anywhere">
          {known ? t(`audit.sentence.${action}`, values) : t("audit.other", values)}
        </p>
        {entry.reason !== null && (
          <p className="text-sm text-muted">{t("audit.reason", { reason: entry.reason })}</p>
        )}
        <AuditChanges entry={entry} />
        <time dateTime={entry.createdAt} className="text-sm text-muted">
          {dayAndTime(entry.createdAt)}
        </time>
      </div>
    </div>
  );
}

/** Stickers and GIFs, and lockdowns that no one started, have sentences of their own. */
function sentenceOf({ action, before, after }: AuditEntry): string {
  if (action === "group.startLockdown" && after?.["automatic"] === true) return "group.raid";
  const kind = (after ?? before)?.["kind"];
  return kind === "sticker" || kind === "gif" ? action.replace("emoji.", "sticker.") : action;
}

function AuditChanges({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation("group-settings");
  const { list } = useFormats();
  const changes = changesOf(entry);
  if (changes.length === 0) return null;
  const shown = (field: string, value: string | number | boolean | null): string => {
    if (value === null || value === "") return t("audit.noValue");
    if (field === "avatarUrl") return t("audit.yes");
    if (field === "onHit") return value === "mask" ? t("filter.mask") : t("filter.block");
    if (field === "outcome") return t(`reports.outcome.${value}`);
    if (typeof value === "boolean") return value ? t("audit.yes") : t("audit.no");
    return String(value);
  };
  const permissions = (sign: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${sign} ${list(names.map((name) => t(`permission.${name}`)))}`];
  return (
    <ul className="grid gap-0.5 text-sm text-muted">
      {changes.map(({ field, before, after }) => {
        const label = { field: t(`audit.field.${field}`) };
        if (!PERMISSION_FIELDS.includes(field)) {
          return (
            <li key={field} className="wrap-anywhere">
              {t("audit.change", { ...label, before: shown(field, before), after: shown(field, after) })}
            </li>
          );
        }
        const { added, removed } = bitsBetween(before, after);
        const changed = [...permissions("+", added), ...permissions("−", removed)].join(" ");
        return (
          <li key={field} className="wrap-anywhere">
            {t("audit.permissions", { ...label, changed })}
          </li>
        );
      })}
    </ul>
  );
}

/** The target's current name, or its name when it was deleted. */
function useTargetNames(
  group: Group,
  entry: AuditEntry,
): { target: string; role: string; isSection: boolean } {
  const { t } = useTranslation("group-settings");
  const { action, targetId, before, after } = entry;
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  const noted = text(after?.["name"]) ?? text(before?.["name"]);
  const about = auditTarget(action);
  const isMessage = about === "message";
  const userId =
    about === "user" || about === "bot" ? targetId : isMessage ? text(before?.["authorId"]) : null;
  const user = useUser(userId);
  const roles = useRoles(group.id).data;
  const channels = useChannels(group.id).data;
  const roleOf = (id: unknown): string =>
    roles?.find((role) => role.id === id)?.name ?? t("audit.deletedRole");
  const channel = channels?.find(({ id }) => id === targetId);
  const isSection = [after?.["kind"], before?.["kind"], channel?.kind].includes("section");
  const role = roleOf(after?.["roleId"]);
  if (isMessage) return { target: userName(user), role, isSection };
  if (userId !== null)
    return { target: user === undefined ? (noted ?? "–") : userName(user), role, isSection };
  if (about === "role") return { target: noted ?? roleOf(targetId), role, isSection };
  if (about === "channel") {
    return { target: channel?.name ?? noted ?? t("audit.deletedChannel"), role, isSection };
  }
  if (about === "invite") {
    const invite = after ?? before;
    return { target: text(invite?.["email"]) ?? text(invite?.["code"]) ?? "", role, isSection };
  }
  return { target: noted ?? "", role, isSection };
}

type Value = string | number | boolean | null;

interface Change {
  field: string;
  before: Value;
  after: Value;
}

const PERMISSION_FIELDS = ["permissions", "allow", "deny"];

/** Readable fields. Of a picture only whether there is one; IDs and other URLs are left out. */
const FIELDS = [
  "name",
  "description",
  "nickname",
  "avatarUrl",
  "topic",
  "color",
  "mentionable",
  "slowModeSeconds",
  "retentionDays",
  "needsApproval",
  "raidLimit",
  "onHit",
  "words",
  "rules",
  "outcome",
  ...PERMISSION_FIELDS,
];

/** The changed fields of an update; empty for creations and deletions. */
export function changesOf({ before, after }: AuditEntry): Change[] {
  if (before === null || after === null) return [];
  return FIELDS.filter((field) => field in before || field in after)
    .map((field) => ({ field, before: readable(field, before[field]), after: readable(field, after[field]) }))
    .filter(({ before: old, after: now }) => old !== now);
}

export function bitsBetween(
  before: Value,
  after: Value,
): { added: PermissionName[]; removed: PermissionName[] } {
  const [old, now] = [Number(before ?? 0), Number(after ?? 0)];
  const namesIn = (bits: number): PermissionName[] =>
    (Object.keys(PERMISSIONS) as PermissionName[]).filter((name) => (bits & PERMISSIONS[name]) !== 0);
  return { added: namesIn(now & ~old), removed: namesIn(old & ~now) };
}

function readable(field: string, value: unknown): Value {
  if (field === "words" && Array.isArray(value)) return value.length;
  if (field === "rules" && typeof value === "object" && value !== null)
    return Object.values(value).filter((rule) => rule !== null).length;
  if (field === "color" && typeof value === "number") return colorText(value);
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isPlain ? value : null;
}

type Manifest = typeof ACTION_MANIFEST;
type Name = keyof Manifest;
type With<Fact> = { [N in Name]: Manifest[N] extends Fact ? N : never }[Name];

const namesWith = (fact: string): Name[] =>
  (Object.keys(ACTION_MANIFEST) as Name[]).filter((name) => fact in ACTION_MANIFEST[name]);

const AUDITED_ACTIONS = namesWith("audited") as With<{ audited: string }>[];

/** The kind of target; undefined for actions that this version doesn't know. */
function auditTarget(action: string): string | undefined {
  const facts: ClientFacts | undefined = Object.hasOwn(ACTION_MANIFEST, action)
    ? ACTION_MANIFEST[action as Name]
    : undefined;
  return facts?.audited;
}
