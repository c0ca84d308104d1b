import { ArrowDown, ArrowUp } from "lucide-react";
import { useTranslation } from "react-i18next";
import { cx } from "../../../ui/cx.ts";

const PILL =
  "pointer-events-auto inline-flex min-h-control-sm items-center gap-2 rounded-full border px-3.5 text-sm font-medium shadow-raised";

/** Leads back to the newest message, and says how many came meanwhile. */
export function JumpToNewest({ count, onJump }: { count: number; onJump: () => void }) {
  const { t } = useTranslation("messages");
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-3 z-2 flex justify-center px-3">
      <button
        type="button"
        className={cx(
          PILL,
          count > 0
            ? "border-transparent bg-accent text-on-accent hover:bg-accent-hover"
            : "border-line bg-raised hover:bg-hover",
        )}
        onClick={onJump}
      >
        <ArrowDown size={16} aria-hidden />
        {count > 0 ? t("jump.new", { count }) : t("jump.newest")}
      </button>
    </div>
  );
}

interface JumpToUnreadProps {
  count: number;
  onJump: () => void;
  onDismiss: () => void;
}

/** Leads up to the first message that was not read. */
export function JumpToUnread({ count, onJump, onDismiss }: JumpToUnreadProps) {
  const { t } = useTranslation("messages");
  return (
    <div className="pointer-events-none absolute inset-x-0 top-2 z-2 flex justify-center px-3">
      <div className={cx(PILL, "border-transparent bg-accent pr-1 text-on-accent")}>
        <button type="button" className="inline-flex items-center gap-2 hover:underline" onClick={onJump}>
          <ArrowUp size={16} aria-hidden />
          {t("jump.unread", { count })}
        </button>
        <button
          type="button"
          className="rounded-full px-2.5 py-0.5 hover:bg-accent-hover"
          onClick={onDismiss}
        >
          {t("jump.markRead")}
        </button>
      </div>
    </div>
  );
}
