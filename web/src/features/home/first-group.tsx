import { useTranslation } from "react-i18next";
import { CreateGroupForm } from "./create-group-form.tsx";

/** Who is in no group yet makes one, or waits for a link. */
export function FirstGroup() {
  const { t } = useTranslation("home");
  return (
    <section className="m-auto grid w-full max-w-md gap-4 p-6">
      <img src="/favicon.svg" alt="" width="48" height="48" />
      <div className="grid gap-1.5">
        <h1 className="text-2xl leading-tight font-bold">{t("welcome")}</h1>
        <p className="text-muted">{t("noGroupYet")}</p>
      </div>
      <CreateGroupForm wide />
      <p className="text-sm text-muted">{t("orOpenALink")}</p>
    </section>
  );
}
