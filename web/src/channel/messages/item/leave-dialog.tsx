import { useTranslation } from "react-i18next";
import { setPreferences } from "../../../state/preferences.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";

/** Shows where a link leads, since its text can claim another address. */
export function LeaveDialog({ url, onClose }: { url: URL; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const go = () => {
    window.open(url.href, "_blank", "noopener,noreferrer");
    onClose();
  };
  const goAlways = () => {
    setPreferences({ confirmLinks: false });
    go();
  };
  return (
    <Dialog
      onClose={onClose}
      title={t("externalLink.title")}
      description={t("externalLink.text")}
      footer={
        <>
          <Button variant="ghost" onClick={goAlways}>
            {t("externalLink.always")}
          </Button>
          <Button variant="primary" onClick={go}>
            {t("externalLink.open")}
          </Button>
        </>
      }
    >
      <p className="rounded-md bg-code px-3 py-2 font-mono text-sm wrap-anywhere" dir="ltr">
        <span className="text-muted">{`${url.protocol}//`}</span>
        <strong>{url.host}</strong>
        <span className="text-muted">
          {url.pathname}
          {url.search}
          {url.hash}
        </span>
      </p>
    </Dialog>
  );
}
