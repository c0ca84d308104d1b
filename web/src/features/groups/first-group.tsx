import { useTranslation } from "react-i18next";
import { useCanCreateGroups } from "../session/server-meta.ts";
import { CreateGroupForm } from "./create-group-form.tsx";
import { JoinGroupForm } from "./join-group-form.tsx";

/** For who is in no group yet: makes one, or goes where an invite leads. */
export function FirstGroup() {
  const { t } = useTranslation("groups");
  const canCreate = useCanCreateGroups();
  return (
    <div className="m-auto grid w-full max-w-md gap-6 overflow-y-auto p-6">
      <header className="grid gap-2 text-center">
        <h1 className="text-2xl font-semibold">{t("first.title")}</h1>
        <p className="text-muted">{canCreate ? t("first.text") : t("first.joinText")}</p>
      </header>
      {canCreate && (
        <section
          aria-label={t("add.create")}
          className="rounded-lg border border-line bg-raised p-5 shadow-raised"
        >
          <CreateGroupForm />
        </section>
      )}
      <section aria-label={t("add.join")} className="rounded-lg border border-line p-5">
        <JoinGroupForm />
      </section>
    </div>
  );
}
