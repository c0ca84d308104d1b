import { useTranslation } from "react-i18next";
import { Dialog } from "../../ui/dialog.tsx";
import { CreateGroupForm } from "./create-group-form.tsx";

export function CreateGroupDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation("home");
  return (
    <Dialog open={open} onClose={onClose} title={t("newGroup")} description={t("whatIsAGroup")}>
      <CreateGroupForm onDone={onClose} />
    </Dialog>
  );
}
