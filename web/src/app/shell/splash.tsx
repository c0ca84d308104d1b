import { useTranslation } from "react-i18next";
import { Spinner } from "../../ui/feedback.tsx";

/** Until it is known who is here. */
export function Splash() {
  const { t } = useTranslation("shell");
  return (
    <main id="main" className="flex min-h-0 flex-1 flex-col">
      <div className="m-auto grid justify-items-center gap-4 text-muted">
        <img src="/favicon.svg" alt="" width="56" height="56" />
        <Spinner label={t("starting")} />
      </div>
    </main>
  );
}
