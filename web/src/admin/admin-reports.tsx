import type { Report, ReportOutcome } from "@fanfare/contract";
import { UserX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { useUser } from "../data/people.ts";
import { useDirectReports } from "../data/reports.ts";
import { CloseReport, ReportCard, ReportList } from "../groups/group-settings/reports/report-card.tsx";
import { Button } from "../ui/button.tsx";
import { openDialog } from "../ui/open-dialog.tsx";
import { showToast } from "../ui/feedback.tsx";
import { UserActionDialog } from "./admin-users.tsx";

/** The open reports of direct messages. */
export function AdminReports() {
  const { t } = useTranslation("admin");
  const reports = useDirectReports();
  return (
    <ReportList reports={reports} hint={t("reports.hint")} noneText={t("reports.noneText")}>
      {(report) => <DirectReport report={report} />}
    </ReportList>
  );
}

function DirectReport({ report }: { report: Report }) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const author = useUser(report.authorId);
  const close = async (outcome: ReportOutcome) => {
    await call("admin.closeReport", { reportId: report.id, outcome });
    showToast({ text: t("group-settings:reports.closed"), tone: "good" });
  };
  const disable = () =>
    openDialog((onClose) => (
      <UserActionDialog
        user={author!}
        userAction="disable"
        onDone={() => close("disabled")}
        onClose={onClose}
      />
    ));
  return (
    <ReportCard report={report} place={null}>
      <CloseReport report={report} onClose={close}>
        {author !== undefined && author.deleted !== true && (
          <Button size="sm" icon={UserX} onClick={disable}>
            {t("users.disable.menu")}
          </Button>
        )}
      </CloseReport>
    </ReportCard>
  );
}
