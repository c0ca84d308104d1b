import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../ui/dialog.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useCanCreateGroups } from "../session/server-meta.ts";
import { CreateGroupForm } from "./create-group-form.tsx";
import { JoinGroupForm } from "./join-group-form.tsx";

/** A new group, or one that somebody has invited to. */
export function AddGroupDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("groups");
  const [way, setWay] = useState<"create" | "join">("create");
  if (!useCanCreateGroups()) {
    return (
      <Dialog open onClose={onClose} title={t("join.title")}>
        <JoinGroupForm onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog open onClose={onClose} title={t("add.title")} description={t("add.text")}>
      <Tabs
        label={t("add.title")}
        value={way}
        onChange={setWay}
        tabs={[
          { value: "create", label: t("add.create"), content: <CreateGroupForm onDone={onClose} /> },
          { value: "join", label: t("add.join"), content: <JoinGroupForm onDone={onClose} /> },
        ]}
      />
    </Dialog>
  );
}
