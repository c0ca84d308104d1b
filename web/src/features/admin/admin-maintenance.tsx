import { useTranslation } from "react-i18next";
import { useAdminStats } from "../../data/admin.ts";
import { errorText } from "../../shared/error-text.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { MaintenanceForm } from "./maintenance-form.tsx";

/** As long as it is on, nobody but admins changes anything. */
export function AdminMaintenance() {
  const { t } = useTranslation("admin");
  const { data, error, refetch } = useAdminStats();
  return (
    <>
      <p className="text-muted">{t("maintenance.hint")}</p>
      <ErrorNote text={error === null ? null : errorText(error)} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Skeleton className="h-40 rounded-lg" />}
      {data !== undefined && (
        <MaintenanceForm key={String(data.maintenance.enabled)} maintenance={data.maintenance} />
      )}
    </>
  );
}
