import { Toast as Base } from "@base-ui/react/toast";
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "./cx.ts";
import { IconButton } from "./icon-button.tsx";

export interface ToastOptions {
  text: string;
  tone?: "info" | "good" | "danger";
  /** Something to do about it, such as to undo. */
  action?: { label: string; onClick: () => void };
}

const MAX_SHOWN = 3;
const SHOWN_MS = 5000;
/** Who has to act needs longer. */
const SHOWN_WITH_ACTION_MS = 10_000;

const manager = Base.createToastManager();

/** Says something for a moment, from anywhere. It is read out; what must not be missed does not belong into a toast. */
export function showToast({ text, tone = "info", action }: ToastOptions): void {
  manager.add({
    description: text,
    type: tone,
    priority: tone === "danger" ? "high" : "low",
    timeout: action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS,
    ...(action && { actionProps: { children: action.label, onClick: action.onClick } }),
  });
}

/** Within UiProvider; the toasts stand above the corner at the bottom, on phones at the top. */
export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Base.Provider toastManager={manager} limit={MAX_SHOWN}>
      {children}
      <Base.Portal>
        <Base.Viewport className="fixed inset-x-3 top-[calc(env(safe-area-inset-top)+0.75rem)] z-60 flex flex-col gap-2 outline-none md:inset-x-auto md:top-auto md:right-4 md:bottom-24 md:w-88">
          <List />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function List() {
  const { t } = useTranslation("ui");
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      swipeDirection={["right", "up"]}
      className="rounded-lg border border-line bg-raised shadow-raised transition-[opacity,translate] duration-200 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0"
    >
      <Base.Content className="flex items-start gap-2.5 px-3.5 py-3 text-sm">
        <Icon tone={toast.type} />
        <Base.Description className="flex-1 wrap-anywhere" />
        {toast.actionProps && (
          <Base.Action className="-my-1 min-h-control-sm rounded-md px-2 font-semibold text-accent-text hover:bg-hover" />
        )}
        <Base.Close
          render={
            <IconButton icon={X} label={t("close")} size="sm" className="-my-1 -mr-1.5" tooltipSide="left" />
          }
        />
      </Base.Content>
    </Base.Root>
  ));
}

const TONES = {
  info: { icon: Info, color: "text-info" },
  good: { icon: CircleCheck, color: "text-good" },
  danger: { icon: CircleAlert, color: "text-danger-text" },
};

function Icon({ tone }: { tone: string | undefined }) {
  const { icon: Shape, color } = TONES[(tone ?? "info") as keyof typeof TONES];
  return <Shape size={18} aria-hidden className={cx("mt-0.5 shrink-0", color)} />;
}
