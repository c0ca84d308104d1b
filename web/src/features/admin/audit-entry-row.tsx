import type { AdminAuditEntry } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useUser } from "../../data/users.ts";
import { useFormats } from "../../shared/use-formats.ts";
import { Badge, type BadgeTone } from "../../ui/badge.tsx";
import { auditDetails } from "./audit-details.ts";

const OUTCOMES: Record<string, BadgeTone> = { done: "good", begun: "warn" };

/** One deed of an admin: who did what to whom, why, from where, and how it went. */
export function AuditEntryRow({ entry }: { entry: AdminAuditEntry }) {
  const { t, i18n } = useTranslation("admin");
  const { dateTime } = useFormats();
  const { userId, reason, others } = auditDetails(entry.params);
  const actor = useUser(entry.actorId);
  const target = useUser(userId);
  const textKey = `audit.actions.${entry.action.replace("admin.", "")}`;
  const { outcome, createdAt, address } = entry;
  const known = outcome === "done" || outcome === "begun";
  return (
    <article className="grid gap-1 px-2 py-1.5">
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <span className="font-medium">{actor?.nickname ?? t("audit.somebody")}</span>
        <span>{i18n.exists(`admin:${textKey}`) ? t(textKey) : entry.action}</span>
        {userId !== null && <span className="font-medium">{target?.nickname ?? userId}</span>}
        <Badge tone={OUTCOMES[outcome] ?? "danger"}>{known ? t(`audit.outcomes.${outcome}`) : outcome}</Badge>
      </p>
      {reason !== null && <p className="wrap-anywhere">{t("audit.reason", { reason })}</p>}
      <p className="text-sm wrap-anywhere text-muted">
        <time dateTime={createdAt}>{dateTime(Date.parse(createdAt))}</time>
        {[others, address].filter((part) => part !== null).map((part) => ` · ${part}`)}
      </p>
    </article>
  );
}
