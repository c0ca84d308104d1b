import { Redirect } from "wouter";
import { useGroups } from "../../data/groups.ts";
import { useMe } from "../../data/me.ts";
import { directPath, groupPath } from "../../routes.ts";
import { errorText } from "../../shared/error-text.ts";
import { lastPlaces } from "../../state/last-channel.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { PageLoading } from "../shell/page-loading.tsx";
import { FirstGroup } from "../groups/first-group.tsx";

/** Where nothing is named: the last place, else the first group, else a first group is to be made. */
export function HomePage() {
  const me = useMe();
  const { data: groups, error, refetch } = useGroups();
  if (groups === undefined) {
    if (error === null) return <PageLoading />;
    return (
      <div className="m-auto p-6">
        <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />
      </div>
    );
  }
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
