import { FileUp } from "lucide-react";
import { useTranslation } from "react-i18next";

/** Over the place in which files can be dropped, while they are over it. */
export function DropOverlay({ place, title }: { place: DOMRect; title: string }) {
  const { t } = useTranslation("composer");
  const { left, top, width, height } = place;
  return (
    <div
      className="pointer-events-none fixed z-30 flex items-center justify-center bg-overlay p-6"
      style={{ left, top, width, height }}
    >
      <p className="flex items-center gap-3 rounded-lg border-2 border-dashed border-accent bg-raised px-6 py-5 text-lg font-semibold shadow-raised">
        <FileUp size={24} aria-hidden className="text-accent-text" />
        {t("upload.drop", { title })}
      </p>
    </div>
  );
}
