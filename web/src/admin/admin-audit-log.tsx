import type { AdminAuditEntry } from "@fanfare/contract";
import { ScrollText } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useAdminAuditLog } from "../data/admin.ts";
import { useUser } from "../data/people.ts";
import { dayAndTime } from "../shared/times.ts";
import { Badge, type BadgeTone } from "../ui/display.tsx";
import { EmptyState } from "../ui/feedback.tsx";
import { AdminList } from "./admin-parts.tsx";

const OUTCOMES: Record<string, BadgeTone> = { done: "good", begun: "warn" };

export function AdminAuditLog() {
  const { t } = useTranslation("admin");
  const entries = useAdminAuditLog();
  return (
    <AdminList
      hint={t("audit.hint")}
      label={t("common:auditLog")}
      pages={entries}
      empty={<EmptyState icon={ScrollText} title={t("audit.none")} text={t("audit.noneText")} />}
    >
      {(entry) => <AuditEntryRow key={entry.id} entry={entry} />}
    </AdminList>
  );
}

function AuditEntryRow({ entry }: { entry: AdminAuditEntry }) {
  const { t, i18n } = useTranslation("admin");
  const { userId, reason, others } = auditDetails(entry.params);
  const actor = useUser(entry.actorId);
  const target = useUser(userId);
  const textKey = `audit.actions.${entry.action.replace("admin.", "")}`;
  const { outcome, createdAt, address } = entry;
  const known = outcome === "done" || outcome === "begun";
  return (
    <li>
      <article className="grid gap-1 px-2 py-1.5">
        <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className="font-medium">
            {entry.actorId === null
              ? t("audit.identityProvider")
              : (actor?.nickname ?? t("audit.unknownActor"))}
          </span>
          <span>{i18n.exists(`admin:${textKey}`) ? t(textKey) : entry.action}</span>
          {userId !== null && <span className="font-medium">{target?.nickname ?? userId}</span>}
          <Badge tone={OUTCOMES[outcome] ?? "danger"}>
            {known ? t(`audit.outcomes.${outcome}`) : outcome}
          </Badge>
        </p>
        {reason !== null && <p className="wrap-anywhere">{t("group-settings:audit.reason", { reason })}</p>}
        <p className="text-sm wrap-anywhere text-muted">
          <time dateTime={createdAt}>{dayAndTime(createdAt)}</time>
          {[others, address].filter((part) => part !== null).map((part) => ` · ${part}`)}
        </p>
      </article>
    </li>
  );
}

interface AuditDetails {
  userId: string | null;
  reason: string | null;
  others: string | null;
}

export function auditDetails(params: unknown): AuditDetails {
  const given = typeof params === "object" && params !== null ? (params as Record<string, unknown>) : {};
  const { userId, reason, ...others } = given;
  const texts = Object.entries(others).map(([name, value]) => `${name}: ${textOf(value)}`);
  return {
    userId: typeof userId === "string" ? userId : null,
    reason: typeof reason === "string" && reason !== "" ? reason : null,
    others: texts.length === 0 ? null : texts.join(", "),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
