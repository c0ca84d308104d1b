import type { Group } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useRoles } from "../../../data/roles.ts";
import { errorText } from "../../../shared/error-text.ts";
import { useAction } from "../../../shared/use-action.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { useAuthority } from "../use-authority.ts";
import { DefaultRoleEditor } from "./default-role-editor.tsx";
import { RoleEditor } from "./role-editor.tsx";
import { RoleList } from "./role-list.tsx";

/** The roles in their order, and the one that is chosen; null is what everybody has. */
export function RolesPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const { data: roles, error, refetch } = useRoles(group.id);
  const authority = useAuthority(group);
  const call = useCall();
  const creation = useAction();
  const [chosenId, setChosenId] = useState<string | null>(null);
  if (roles === undefined) {
    if (error === null) return <SkeletonRows />;
    return <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />;
  }
  const chosen = roles.find(({ id }) => id === chosenId);
  const create = () =>
    creation.run(async () => {
      const { role } = await call("role.create", { groupId: group.id, name: t("roles.newName") });
      setChosenId(role.id);
    });
  return (
    <div className="grid gap-5">
      <p className="text-muted">{t("roles.text")}</p>
      <div className="grid gap-6 md:grid-cols-[14rem_minmax(0,1fr)]">
        <div className="grid content-start gap-3">
          <Button
            icon={<Plus size={16} aria-hidden />}
            busy={creation.busy}
            disabled={roles.length >= LIMITS.rolesPerGroup}
            onClick={() => void create()}
          >
            {t("roles.create")}
          </Button>
          <ErrorNote text={creation.error} />
          <RoleList
            groupId={group.id}
            roles={roles}
            chosenId={chosen?.id ?? null}
            onChoose={setChosenId}
            authority={authority}
          />
        </div>
        {chosen === undefined ? (
          <DefaultRoleEditor group={group} authority={authority} />
        ) : (
          <RoleEditor key={chosen.id} group={group} role={chosen} authority={authority} />
        )}
      </div>
    </div>
  );
}
