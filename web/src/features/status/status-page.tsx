import { Activity } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../data/me.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { ConnectionFigures } from "./connection-figures.tsx";
import { MetricsPanel } from "./metrics-panel.tsx";

/** How the connection and the server are; for admins what all gateways did in the last minutes. */
export function StatusPage() {
  const { t } = useTranslation("status");
  const { admin } = useMe();
  return (
    <>
      <PageHeader icon={Activity} title={t("title")} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto grid max-w-5xl gap-8 px-4 py-5 pb-[calc(env(safe-area-inset-bottom)+1.25rem)] md:px-8 md:py-7">
          <ConnectionFigures />
          {admin && <MetricsPanel />}
        </div>
      </div>
    </>
  );
}
