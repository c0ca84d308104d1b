import type { Group } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCanInGroup } from "../../../data/permissions.ts";
import { InviteList } from "../../invites/invite-list.tsx";
import { NewInviteForm } from "../../invites/new-invite-form.tsx";

export function InvitesPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const managesAll = useCanInGroup(group.id, "manageInvites");
  return (
    <div className="grid max-w-2xl gap-6">
      <p className="text-muted">{managesAll ? t("invites.all") : t("invites.own")}</p>
      <NewInviteForm groupId={group.id} />
      <InviteList groupId={group.id} />
    </div>
  );
}
