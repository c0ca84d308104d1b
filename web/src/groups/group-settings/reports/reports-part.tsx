import type { Group, Report, ReportOutcome } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { Ban, MicOff, UserMinus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { useMember } from "../../../data/members.ts";
import { useUser } from "../../../data/people.ts";
import { useReports } from "../../../data/reports.ts";
import { useMessagePlace } from "../../../inbox/use-message-place.ts";
import { userName } from "../../../people/members/user-name.tsx";
import { Button } from "../../../ui/button.tsx";
import { openDialog } from "../../../ui/open-dialog.tsx";
import { showToast } from "../../../ui/feedback.tsx";
import { type OwnAuthority, useAuthority } from "../authority.tsx";
import { ModerateDialog } from "../members/member-dialogs.tsx";
import { CloseReport, ReportCard, ReportList } from "./report-card.tsx";

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
