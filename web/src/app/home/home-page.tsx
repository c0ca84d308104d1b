import { useTranslation } from "react-i18next";
import { Redirect } from "wouter";
import { useGroups } from "../../data/groups.ts";
import { useMe } from "../../data/me.ts";
import { directPath, groupPath } from "../../routes.ts";
import { lastPlaces } from "../../state/last-channel.ts";
import { CreateGroupForm, DirectoryLink, JoinGroupForm } from "../../groups/add-group.tsx";
import { useBranding } from "../../session/branding.ts";
import { useCanCreateGroups } from "../../session/server-meta.ts";
import { PageHeader, PagePending } from "../shell/page-header.tsx";

/** Redirects to the last visited place or the first group; without groups, offers to create one. */
export function HomePage() {
  const me = useMe();
  const query = useGroups();
  const { data: groups } = query;
  if (groups === undefined) return <PagePending of={query} />;
  const { path } = lastPlaces(me.id);
  if (path?.startsWith(`${directPath()}/`)) return <Redirect to={path} replace />;
  const first = groups[0];
  if (first === undefined) {
    return (
      <>
        <PageHeader />
        <FirstGroup />
      </>
    );
  }
  const isThere = groups.some(({ id }) => path?.startsWith(`${groupPath(id)}/`));
  return <Redirect to={isThere && path !== null ? path : groupPath(first.id)} replace />;
}

function FirstGroup() {
  const { t } = useTranslation("groups");
  const { name } = useBranding();
  const canCreate = useCanCreateGroups();
  return (
    <div className="m-auto grid w-full max-w-md gap-6 overflow-y-auto p-6">
      <header className="grid gap-2 text-center">
        <h1 className="text-2xl font-semibold">{t("first.title", { name })}</h1>
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
      <DirectoryLink />
    </div>
  );
}
