import { useTranslation } from "react-i18next";
import { CopyField } from "../../shared/copy-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";

export interface PasswordLink {
  /** Of the user who sets a password with it. */
  name: string;
  link: string;
}

/** A link that could not be mailed, for the admin to pass on. It is shown only here. */
export function PasswordLinkDialog({ name, link, onClose }: PasswordLink & { onClose: () => void }) {
  const { t } = useTranslation("admin");
  return (
    <Dialog open onClose={onClose} title={t("link.title", { name })} description={t("link.text")}>
      <CopyField label={t("link.label")} value={link} />
    </Dialog>
  );
}
