import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { CopyField } from "../../shared/copy-field.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

interface SecretDialogProps {
  title: string;
  /** What it is for. */
  text: string;
  label: string;
  secret: string;
  onClose: () => void;
}

/** Shows something that the server tells once only. */
export function SecretDialog({ title, text, label, secret, onClose }: SecretDialogProps) {
  const { t } = useTranslation("group-settings");
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("secret.done")}
        </Button>
      }
    >
      <p className="flex items-start gap-2.5 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text">
        <TriangleAlert size={18} aria-hidden className="mt-px shrink-0" />
        {text}
      </p>
      <CopyField label={label} value={secret} />
    </Dialog>
  );
}
