import { Sparkles } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import { useUpdate } from "./update-store.ts";

/** Says that there is a new version, until it is brought in or put off. */
export function UpdatePrompt() {
  const { t } = useTranslation("updates");
  const apply = useUpdate((state) => state.apply);
  const [putOff, setPutOff] = useState<(() => void) | null>(null);
  const shown = apply !== null && apply !== putOff;
  return (
    <div role="status">
      {shown && (
        <div className="fixed inset-x-3 bottom-[calc(env(safe-area-inset-bottom)+5.5rem)] z-30 mx-auto flex max-w-md flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line bg-raised px-4 py-3 shadow-raised md:bottom-24">
          <Sparkles size={18} aria-hidden className="shrink-0 text-accent-text" />
          <p className="min-w-40 flex-1 text-sm">{t("newVersion")}</p>
          <div className="flex gap-1">
            <Button size="sm" variant="ghost" onClick={() => setPutOff(() => apply)}>
              {t("later")}
            </Button>
            <Button size="sm" variant="primary" onClick={apply}>
              {t("reload")}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}
