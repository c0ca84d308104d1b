import { useAdminPolicy } from "../../data/admin.ts";
import { errorText } from "../../shared/error-text.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { PolicyForm } from "./policy-form.tsx";

/** Who gets in to this instance. */
export function AdminAccess() {
  const { data, error, refetch } = useAdminPolicy();
  return (
    <>
      <ErrorNote text={error === null ? null : errorText(error)} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Skeleton className="h-72 rounded-lg" />}
      {data !== undefined && <PolicyForm {...data} />}
    </>
  );
}
