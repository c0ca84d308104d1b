import { useTranslation } from "react-i18next";
import { Spinner } from "../../ui/feedback.tsx";

/** Where a page stands whose code is on its way. */
export function PageLoading() {
  const { t } = useTranslation("ui");
  return (
    <div className="flex min-h-0 flex-1 text-muted">
      <Spinner label={t("loading")} className="m-auto" />
    </div>
  );
}
