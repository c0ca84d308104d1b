import type { Recording } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Mic, Square, Trash2 } from "lucide-react";
import { type KeyboardEvent, useEffect, useReducer, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { pause } from "../channel/messages/item/sound.ts";
import { IconButton } from "../ui/button.tsx";
import { showToast } from "../ui/feedback.tsx";
import { useEscape } from "../ui/hooks.ts";
import { type ActiveRecording, startRecording } from "./recording.ts";
import { clockText } from "../shared/times.ts";

const UPDATE_MS = 100;
/** The latest moments, as bars. */
const LEVELS_SHOWN = 48;

const ERRORS = {
  NotAllowedError: { textKey: "record.refused" },
  NotFoundError: { textKey: "record.missing" },
  SecurityError: { textKey: "record.insecure" },
  other: { textKey: "record.failed" },
} as const;

interface RecorderProps {
  onRecorded: (file: File, recording: Recording) => void;
  onClose: () => void;
}

/** Records a voice message from when it is rendered. Closing it keeps what was recorded, unless the user discards it. */
export function Recorder({ onRecorded, onClose }: RecorderProps) {
  const { t } = useTranslation("composer");
  const [active, setActive] = useState<ActiveRecording | null>(null);
  const isDiscarded = useRef(false);
  const stopButton = useRef<HTMLButtonElement>(null);
  const texts = {
    limit: t("record.limit"),
    name: t("record.name"),
    failure: (error: unknown) => t(failureOf(error).textKey),
  };
  const latest = useRef({ onRecorded, onClose, texts });
  useEffect(() => {
    latest.current = { onRecorded, onClose, texts };
  });

  useEffect(() => {
    const abort = new AbortController();
    let started: ActiveRecording | null = null;
    const begin = async () => {
      try {
        started = await startRecording(abort.signal);
        started.onEnd(() => {
          const isFull = started!.elapsedMs() >= LIMITS.recordingMaxMs;
          if (isFull) showToast({ text: latest.current.texts.limit });
          latest.current.onClose();
        });
        setActive(started);
      } catch (error) {
        if (abort.signal.aborted) return;
        showToast({ text: latest.current.texts.failure(error), tone: "danger" });
        latest.current.onClose();
      }
    };
    const end = async () => {
      abort.abort();
      const recorded = await started?.stop();
      if (recorded == null || isDiscarded.current) return;
      const { sound, recording } = recorded;
      const extension = /^audio\/(\w+)/.exec(sound.type)?.[1] ?? "webm";
      const name = `${latest.current.texts.name}.${extension}`;
      latest.current.onRecorded(new File([sound], name, { type: sound.type }), recording);
    };
    pause();
    void begin();
    return () => void end();
  }, []);

  useEffect(() => {
    if (active !== null) stopButton.current?.focus();
  }, [active]);

  const discard = () => {
    isDiscarded.current = true;
    onClose();
  };
  useEscape(discard);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    // An open panel stays.
    event.preventDefault();
    discard();
  };
  return (
    <div
      role="group"
      aria-label={t("record.label")}
      className="flex items-center gap-2 border-b border-line py-1 pe-1.5 ps-3 text-sm"
      onKeyDown={onKeyDown}
    >
      <Mic size={18} aria-hidden className="shrink-0 text-danger-text" />
      {active === null ? (
        <p role="status" className="min-w-0 flex-1 truncate text-muted">
          {t("record.asking")}
        </p>
      ) : (
        <Meter recording={active} />
      )}
      <IconButton icon={Trash2} size="sm" label={t("record.discard")} onClick={discard} />
      <IconButton
        icon={Square}
        size="sm"
        label={t("record.stop")}
        disabled={active === null}
        className="text-accent-text"
        ref={stopButton}
        onClick={onClose}
      />
    </div>
  );
}

function failureOf(error: unknown): { textKey: (typeof ERRORS)[keyof typeof ERRORS]["textKey"] } {
  const name = error instanceof DOMException && error.name in ERRORS ? error.name : "other";
  return ERRORS[name as keyof typeof ERRORS];
}

/** The time and the level. */
function Meter({ recording }: { recording: ActiveRecording }) {
  const { t } = useTranslation("composer");
  const [, update] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(update, UPDATE_MS);
    return () => clearInterval(timer);
  }, []);
  const levels = recording.levels.slice(-LEVELS_SHOWN);
  return (
    <>
      <span role="timer" className="shrink-0 tabular-nums">
        {t("record.time", {
          time: clockText(recording.elapsedMs()),
          max: clockText(LIMITS.recordingMaxMs),
        })}
      </span>
      <span
        aria-hidden
        dir="ltr"
        className="flex h-6 min-w-0 flex-1 items-center justify-end gap-0.5 overflow-hidden"
      >
        {levels.map((level, index) => (
          <span
            key={recording.levels.length - levels.length + index}
            className="w-1 shrink-0 rounded-full bg-accent"
            style={{ height: `${Math.max(10, Math.sqrt(level) * 100)}%` }}
          />
        ))}
      </span>
    </>
  );
}
