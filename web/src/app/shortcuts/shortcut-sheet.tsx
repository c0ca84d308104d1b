import { useTranslation } from "react-i18next";
import { useHasCalls } from "../../session/server-meta.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { isApple, keysOf, SECTIONS } from "./shortcuts.ts";
import { Kbd } from "../../ui/display.tsx";

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("shortcuts");
  const apple = isApple();
  const hasCalls = useHasCalls();
  return (
    <Dialog onClose={onClose} title={t("title")} size="lg">
      <div className="columns-1 gap-8 md:columns-2">
        {SECTIONS.filter(({ id }) => hasCalls || id !== "calls").map(({ id, textKey, shortcuts }) => (
          <section key={id} className="mb-5 break-inside-avoid">
            <h3 className="mb-1 text-sm font-semibold text-muted">{t(textKey)}</h3>
            <dl className="text-sm">
              {shortcuts.map((shortcut) => (
                <div
                  key={shortcut.textKey}
                  className="flex min-h-row items-center justify-between gap-3 border-b border-line py-1 last:border-0"
                >
                  <dt>{t(shortcut.textKey)}</dt>
                  <dd className="flex shrink-0 items-center gap-2">
                    {shortcut.combos.map((combo) => (
                      <Kbd key={combo} keys={keysOf(combo, apple)} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
