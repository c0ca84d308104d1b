import { Gauge, type LucideIcon, MessagesSquare, ServerCog } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { EntranceFooter } from "./entrance-footer.tsx";
import { Waves } from "./waves.tsx";

const POINTS: { textKey: "point.speed" | "point.complete" | "point.own"; icon: LucideIcon }[] = [
  { textKey: "point.speed", icon: Gauge },
  { textKey: "point.complete", icon: MessagesSquare },
  { textKey: "point.own", icon: ServerCog },
];

/** Around everything that somebody sees who is not logged in: what this is at the left, what to do at the right. */
export function Entrance({ children }: { children: ReactNode }) {
  const { t } = useTranslation("session");
  return (
    <div className="grid min-h-0 flex-1 grid-rows-[auto_1fr] overflow-y-auto lg:grid-cols-[1.15fr_1fr] lg:grid-rows-1">
      <header className="relative isolate flex overflow-hidden bg-accent-soft px-5 pt-[max(2.5rem,env(safe-area-inset-top))] pb-8 lg:px-16 lg:py-12">
        <Waves />
        <div className="mx-auto grid w-full max-w-lg content-center justify-items-center gap-3 text-center lg:justify-items-start lg:gap-6 lg:text-left">
          <div className="flex items-center gap-3">
            <img src="/favicon.svg" alt="" className="size-11 lg:size-14" />
            <h1 className="text-3xl font-bold tracking-tight lg:text-4xl">Fanfare</h1>
          </div>
          <p className="max-w-md text-text lg:text-2xl lg:leading-snug lg:font-medium">{t("tagline")}</p>
          <ul className="grid gap-3 max-lg:hidden">
            {POINTS.map(({ textKey, icon: Icon }) => (
              <li key={textKey} className="flex items-center gap-3">
                <span className="flex size-9 shrink-0 items-center justify-center rounded-full bg-raised text-accent-text">
                  <Icon size={18} aria-hidden />
                </span>
                {t(textKey)}
              </li>
            ))}
          </ul>
        </div>
      </header>
      <div className="flex flex-col bg-canvas">
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto grid w-full max-w-md flex-1 content-start gap-5 px-5 py-8 outline-none lg:content-center"
        >
          {children}
        </main>
        <EntranceFooter />
      </div>
    </div>
  );
}
