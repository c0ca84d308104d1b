import { Toast as Base } from "@base-ui/react/toast";
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "./button.tsx";
import { cx } from "./cx.ts";
import { onToast, type ToastOptions } from "./feedback.tsx";

const MAX_SHOWN = 3;
const SHOWN_MS = 5000;
/** Users need more time to act. */
const SHOWN_WITH_ACTION_MS = 10_000;

const manager = Base.createToastManager();

function add({ text, tone = "info", action }: ToastOptions): void {
  manager.add({
    description: text,
    type: tone,
    priority: tone === "danger" ? "high" : "low",
    timeout: action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS,
    ...(action && { actionProps: { children: action.label, onClick: action.onClick } }),
  });
}

/** They appear in a bottom corner, on phones at the top. Mounted once. */
export function Toasts() {
  // Once the provider listens to the manager.
  useEffect(() => onToast(add), []);
  return (
    <Base.Provider toastManager={manager} limit={MAX_SHOWN}>
      <Base.Portal>
        <Base.Viewport className="fixed inset-x-3 top-[calc(env(safe-area-inset-top)+0.75rem)] z-60 flex flex-col gap-2 outline-none md:inset-x-auto md:top-auto md:end-4 md:bottom-24 md:w-88">
          <ToastList />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function ToastList() {
  const { t } = useTranslation("ui");
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      swipeDirection={["right", "up"]}
      className="rounded-lg border border-line bg-raised shadow-raised rise data-limited:hidden"
    >
      <Base.Content className="flex items-start gap-2.5 px-3.5 py-3 text-sm">
        <ToneIcon tone={toast.type} />
        <Base.Description className="flex-1 wrap-anywhere" />
        {toast.actionProps && (
          <Base.Action className="-my-1 min-h-control-sm rounded-md px-2 font-semibold text-accent-text hover:bg-hover" />
        )}
        <Base.Close
          render={
            <IconButton icon={X} label={t("close")} size="sm" className="-my-1 -me-1.5" tooltipSide="left" />
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

function ToneIcon({ tone }: { tone: string | undefined }) {
  const { icon: Shape, color } = TONES[(tone ?? "info") as keyof typeof TONES];
  return <Shape size={18} aria-hidden className={cx("mt-0.5 shrink-0", color)} />;
}
