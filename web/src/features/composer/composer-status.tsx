import { Snail } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useFormats } from "../../shared/use-formats.ts";
import { cx } from "../../ui/cx.ts";
import { TypingLine } from "./typing-line.tsx";

/** Before this the number of characters that are left is of no interest. */
const COUNT_FROM_CHARS = 300;

interface ComposerStatusProps {
  id: string;
  channelId: string;
  charsLeft: number;
  secondsLeft: number;
  slowModeSeconds: number;
  isWaiting: boolean;
  onStopWaiting: () => void;
}

/** The line below the box: who is writing, and what keeps one from sending. It is always as high, so that nothing moves. */
export function ComposerStatus(props: ComposerStatusProps) {
  const { id, channelId, charsLeft, secondsLeft, slowModeSeconds, isWaiting, onStopWaiting } = props;
  const { t } = useTranslation("composer");
  const { duration, count } = useFormats();
  return (
    <div className="flex h-6 items-center justify-between gap-3 px-1 text-xs text-muted">
      <TypingLine channelId={channelId} />
      <div id={id} className="flex shrink-0 items-center gap-3">
        {isWaiting && (
          <span>
            {t("upload.sendLater")}{" "}
            <button
              type="button"
              className="font-medium text-accent-text hover:underline"
              onClick={onStopWaiting}
            >
              {t("ui:cancel")}
            </button>
          </span>
        )}
        {slowModeSeconds > 0 && (
          <span
            className="flex items-center gap-1"
            title={t("slowMode.every", { time: duration(slowModeSeconds * 1000) })}
          >
            <Snail size={14} aria-hidden />
            {secondsLeft > 0
              ? t("slowMode.left", { time: duration(secondsLeft * 1000) })
              : t("slowMode.name")}
          </span>
        )}
        {charsLeft < COUNT_FROM_CHARS && (
          <span className={cx("tabular-nums", charsLeft < 0 && "font-medium text-danger-text")}>
            {charsLeft < 0
              ? t("tooLong", { count: -charsLeft })
              : t("charsLeft", { count: charsLeft, number: count(charsLeft) })}
          </span>
        )}
      </div>
    </div>
  );
}
