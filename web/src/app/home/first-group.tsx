import { useTranslation } from "react-i18next";
import {
  CreateGroupForm,
  DirectoryLink,
  JoinGroupForm,
  useCanCreateGroups,
} from "../../groups/add-group.tsx";
import { useFirstShown } from "../../shared/first-shown.ts";
import { useBranding } from "../../session/branding.ts";

/** For users without a group. */
export function FirstGroup() {
  const { t } = useTranslation("home");
  useFirstShown();
  const { name } = useBranding();
  const canCreate = useCanCreateGroups();
  return (
    <div className="m-auto grid w-full max-w-md gap-6 overflow-y-auto p-6">
      <header className="grid gap-2 text-center">
        <h1 className="text-2xl font-semibold">{t("groups:first.title", { name })}</h1>
        <p className="text-muted">{canCreate ? t("groups:first.text") : t("groups:first.joinText")}</p>
      </header>
      {canCreate && (
        <section
          aria-label={t("groups:add.create")}
          className="rounded-lg border border-line bg-raised p-5 shadow-raised"
        >
          <CreateGroupForm />
        </section>
      )}
      <section aria-label={t("groups:add.join")} className="rounded-lg border border-line p-5">
        <JoinGroupForm />
      </section>
      <DirectoryLink />
    </div>
  );
}
