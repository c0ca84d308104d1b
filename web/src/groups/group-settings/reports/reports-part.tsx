import type { Group, Report, ReportOutcome } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { Ban, MicOff, UserMinus, Check, Flag, Paperclip, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { useMember } from "../../../data/members.ts";
import { useUser } from "../../../data/people.ts";
import { useReports } from "../../../data/review-queues.ts";
import { useMessagePlace } from "../../../inbox/use-message-place.ts";
import { userName } from "../../../people/members/user-name.tsx";
import { Button } from "../../../ui/button.tsx";
import { openDialog } from "../../../ui/open-dialog.tsx";
import { showToast, EmptyState, ErrorNote } from "../../../ui/feedback.tsx";
import { type OwnAuthority, useAuthority } from "../authority.tsx";
import { ModerateDialog } from "../members/member-dialogs.tsx";
import { DeleteDialog } from "../../../channel/messages/item/shared-dialogs.tsx";
import { MentionsProvider } from "../../../channel/messages/item/message-card.tsx";
import { Markdown } from "../../../channel/messages/markdown/markdown.tsx";
import { useOpenProfile } from "../../../people/members/people-store.tsx";
import { PagedRows } from "../../../shared/paged-list.tsx";
import { dayAndTime, formatTime } from "../../../shared/times.ts";
import { useAction } from "../../../shared/use-action.ts";
import { Avatar, Badge } from "../../../ui/display.tsx";

/** The open reports, which a moderator closes one by one. */
export function ReportsPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const reports = useReports(group.id);
  const authority = useAuthority(group);
  return (
    <ReportList reports={reports} hint={t("reports.text")} noneText={t("reports.noneText")}>
      {(report) => <GroupReport group={group} report={report} authority={authority} />}
    </ReportList>
  );
}

const MODERATIONS = [
  { kind: "mute", icon: MicOff, needs: "muteMembers", outcome: "muted" },
  { kind: "kick", icon: UserMinus, needs: "kickMembers", outcome: "kicked" },
  { kind: "ban", icon: Ban, needs: "banMembers", outcome: "banned" },
] as const;

interface GroupReportProps {
  group: Group;
  report: Report;
  authority: OwnAuthority;
}

function GroupReport({ group, report, authority }: GroupReportProps) {
  const { t } = useTranslation("group-settings");
  const { id: reportId, messageId, channelId, authorId } = report;
  const call = useCall();
  const me = useMe();
  const { path, channel } = useMessagePlace({ id: messageId, channelId });
  const { data: author, error: authorGone } = useMember(group.id, authorId);
  const name = userName(useUser(authorId));
  const close = async (outcome: ReportOutcome) => {
    await call("report.close", { groupId: group.id, reportId, outcome });
    showToast({ text: t("reports.closed"), tone: "good" });
  };
  const isMember = author !== undefined && authorGone === null;
  const offered = MODERATIONS.filter(
    ({ needs, kind }) =>
      hasPermission(authority.permissions, needs) &&
      (isMember ? authority.canManageMember(author) : kind === "ban" && authorGone !== null),
  );
  const moderate = ({ kind, outcome }: (typeof MODERATIONS)[number]) =>
    openDialog((onClose) => (
      <ModerateDialog
        kind={kind}
        groupId={group.id}
        userId={authorId}
        name={name}
        onDone={() => close(outcome)}
        onClose={onClose}
      />
    ));
  const canClose = authorId !== me.id || authority.isOwner;
  return (
    <ReportCard
      report={report}
      place={
        path !== null && (
          <Link href={path} className="font-medium text-accent-text underline">
            {channel === undefined || channel.name === ""
              ? t("reports.goToMessage")
              : t("reports.goTo", { channel: channel.name })}
          </Link>
        )
      }
    >
      {canClose ? (
        <CloseReport report={report} onClose={close}>
          {offered.map((moderation) => (
            <Button
              key={moderation.kind}
              size="sm"
              icon={moderation.icon}
              onClick={() => moderate(moderation)}
            >
              {t(`reports.${moderation.kind}`)}
            </Button>
          ))}
        </CloseReport>
      ) : (
        <p className="text-sm text-muted">{t("reports.own")}</p>
      )}
    </ReportCard>
  );
}

interface ReportListProps {
  reports: UseInfiniteQueryResult<Report[]>;
  hint: string;
  /** Shown when no report is open. */
  noneText: string;
  children: (report: Report) => ReactNode;
}

/** Open reports, which are closed one by one. */
export function ReportList({ reports, hint, noneText, children }: ReportListProps) {
  const { t } = useTranslation("group-settings");
  return (
    <>
      <p className="text-muted">{hint}</p>
      <PagedRows
        pages={reports}
        label={t("common:reports")}
        className="grid gap-4"
        empty={<EmptyState icon={Flag} title={t("reports.none")} text={noneText} />}
      >
        {(report) => <li key={report.id}>{children(report)}</li>}
      </PagedRows>
    </>
  );
}

interface CloseReportProps {
  report: Report;
  onClose: (outcome: ReportOutcome) => Promise<void>;
  /** More buttons. */
  children: ReactNode;
}

/** Buttons that dismiss a report, or delete its message. */
export function CloseReport({ report, onClose, children }: CloseReportProps) {
  const { t } = useTranslation("group-settings");
  const { busy, error, run } = useAction();
  const remove = () =>
    openDialog((close) => (
      <DeleteDialog content={report.content} onConfirm={() => onClose("messageDeleted")} onClose={close} />
    ));
  return (
    <>
      <Button size="sm" icon={Check} busy={busy} onClick={() => void run(() => onClose("dismissed"))}>
        {t("reports.dismiss")}
      </Button>
      <Button size="sm" icon={Trash2} onClick={remove}>
        {t("reports.deleteMessage")}
      </Button>
      {children}
      <ErrorNote text={error} />
    </>
  );
}

interface ReportCardProps {
  report: Report;
  /** The message's place, such as a link to it. */
  place: ReactNode;
  /** The buttons. */
  children: ReactNode;
}

/** A reported message as it was, who reported it and why. */
export function ReportCard({ report, place, children }: ReportCardProps) {
  const { t } = useTranslation("group-settings");
  const { groupId, authorId, content, fileNames, sentAt, reporters } = report;
  const author = useUser(authorId);
  const name = userName(author);
  return (
    <article
      aria-label={t("reports.card", { name })}
      className="grid gap-3 rounded-lg border border-line bg-raised p-3 md:p-4"
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <Avatar name={name} id={authorId} src={author?.avatarUrl} size={24} />
        <span className="min-w-0 truncate font-semibold">{name}</span>
        <time dateTime={sentAt} title={formatTime(sentAt, "full")} className="text-muted">
          {dayAndTime(sentAt)}
        </time>
        <span className="min-w-0 md:ms-auto">{place}</span>
      </header>
      <Text content={content} groupId={groupId} />
      {fileNames.length > 0 && (
        <ul className="flex flex-wrap gap-x-3 gap-y-1 text-sm text-muted">
          {fileNames.map((fileName, index) => (
            <li key={`${index}-${fileName}`} className="flex min-w-0 items-center gap-1.5">
              <Paperclip size={14} aria-hidden className="shrink-0" />
              <span className="truncate">{fileName}</span>
            </li>
          ))}
        </ul>
      )}
      <ul aria-label={t("reports.reporters")} className="grid gap-2 text-sm">
        {reporters.map((reporter) => (
          <Reporter key={reporter.userId ?? reporter.reason} reporter={reporter} groupId={groupId} />
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">{children}</div>
    </article>
  );
}

function Text({ content, groupId }: Pick<Report, "content" | "groupId">) {
  const openProfile = useOpenProfile(groupId);
  if (content === "") return null;
  return (
    <blockquote className="max-h-60 overflow-y-auto border-s-3 border-line-strong ps-3 wrap-anywhere">
      <MentionsProvider groupId={groupId} onUser={openProfile}>
        <Markdown content={content} />
      </MentionsProvider>
    </blockquote>
  );
}

interface ReporterProps {
  reporter: Report["reporters"][number];
  groupId: string | null;
}

function Reporter({ reporter: { userId, reason, details, reportedAt, content }, groupId }: ReporterProps) {
  const { t } = useTranslation("group-settings");
  const user = useUser(userId);
  return (
    <li className="grid gap-1">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone="danger">
          {userId === null ? t(`rules.${reason}.title`) : t(`messages:report.reasons.${reason}`)}
        </Badge>
        <span className="min-w-0 truncate font-medium">
          {userId === null ? t("groups:section.filter") : userName(user)}
        </span>
        <time dateTime={reportedAt} className="text-muted">
          {dayAndTime(reportedAt)}
        </time>
      </span>
      {details !== "" && <p className="whitespace-pre-wrap wrap-anywhere">{details}</p>}
      {content !== undefined && (
        <div className="grid gap-1">
          <p className="text-muted">{t("reports.textThen")}</p>
          <Text content={content} groupId={groupId} />
        </div>
      )}
    </li>
  );
}
