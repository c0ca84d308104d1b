import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { setCallSettings } from "./call-settings.ts";
import { DeviceFields } from "./device-fields.tsx";

interface DeviceDialogProps {
  onClose: () => void;
  onJoin: () => void;
  onCancel?: (() => void) | undefined;
}

/** Before the first call in this browser. */
export function DeviceDialog({ onClose, onJoin, onCancel }: DeviceDialogProps) {
  const { t } = useTranslation("calls");
  const join = () => {
    setCallSettings({ hasChosen: true });
    onClose();
    onJoin();
  };
  const cancel = () => {
    onClose();
    onCancel?.();
  };
  return (
    <Dialog
      onClose={cancel}
      title={t("device.title")}
      description={t("device.text")}
      footer={
        <>
          <Button onClick={cancel}>{t("ui:cancel")}</Button>
          <Button variant="primary" onClick={join}>
            {t("join")}
          </Button>
        </>
      }
    >
      <DeviceFields isMicrophoneTested />
    </Dialog>
  );
}
