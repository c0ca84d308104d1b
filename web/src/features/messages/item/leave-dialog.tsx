import { useTranslation } from "react-i18next";
import { setPreferences } from "../../../state/preferences.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";

/** Asks before a link leads elsewhere, and shows where: its text may say something else. */
export function LeaveDialog({ url, onClose }: { url: URL | null; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const go = () => {
    if (url !== null) window.open(url.href, "_blank", "noopener,noreferrer");
    onClose();
  };
  const goAlways = () => {
    setPreferences({ confirmLinks: false });
    go();
  };
  return (
    <Dialog
      open={url !== null}
      onClose={onClose}
      title={t("leave.title")}
      description={t("leave.text")}
      footer={
        <>
          <Button variant="ghost" onClick={goAlways}>
            {t("leave.always")}
          </Button>
          <Button variant="primary" onClick={go}>
            {t("leave.open")}
          </Button>
        </>
      }
    >
      <p className="rounded-md bg-code px-3 py-2 font-mono text-sm wrap-anywhere" dir="ltr">
        <span className="text-muted">{`${url?.protocol}//`}</span>
        <strong>{url?.host}</strong>
        <span className="text-muted">
          {url?.pathname}
          {url?.search}
          {url?.hash}
        </span>
      </p>
    </Dialog>
  );
}
