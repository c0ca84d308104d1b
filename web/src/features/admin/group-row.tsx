import type { Group } from "@fanfare/contract";
import { Download, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../data/users.ts";
import { useFormats } from "../../shared/use-formats.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ListRow } from "../../ui/list-row.tsx";

interface GroupRowProps {
  group: Group;
  onExport: () => void;
  onDelete: () => void;
}

/** One group: how many are in it, who owns it, since when. */
export function GroupRow({ group, onExport, onDelete }: GroupRowProps) {
  const { t } = useTranslation("admin");
  const { date } = useFormats();
  const owner = useUser(group.ownerId);
  const known = [
    t("groups.members", { count: group.memberCount }),
    owner === undefined ? null : t("groups.owner", { name: owner.nickname }),
    date(Date.parse(group.createdAt)),
  ];
  return (
    <ListRow
      leading={<Avatar name={group.name} id={group.id} src={group.iconUrl} shape="square" />}
      title={group.name}
      subtitle={known.filter((part) => part !== null).join(" · ")}
      trailing={
        <>
          <IconButton
            icon={Download}
            label={t("groups.export", { name: group.name })}
            tooltipSide="left"
            onClick={onExport}
          />
          <IconButton
            icon={Trash2}
            label={t("groups.delete.of", { name: group.name })}
            variant="danger"
            tooltipSide="left"
            onClick={onDelete}
          />
        </>
      }
    />
  );
}
