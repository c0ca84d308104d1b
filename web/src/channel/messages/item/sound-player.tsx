import type { Attachment } from "@fanfare/contract";
import { Pause, Play } from "lucide-react";
import { type KeyboardEvent, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useFileUrl } from "../../../data/files.ts";
import { DownloadLink, soundHeight } from "./attachments.tsx";
import { pause, seek, setSpeed, SPEEDS, type Sound, togglePlaying, usePlayback, useSpeed } from "./sound.ts";
import { clockText } from "../../../shared/times.ts";

/** How far the arrow keys go, at most; less in a short sound. */
const STEP_MS = 5000;
const STEPS = 10;
const WAYS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
const BAR_WIDTH = 4;
const HEIGHT = 32;
const HIGHEST_DIGIT = 31;

/** A sound in a message. A voice message has a waveform and a speed instead of its name. */
export function AudioAttachment({ channelId, file }: { channelId: string; file: Attachment }) {
  const { t } = useTranslation("messages");
  const url = useFileUrl(channelId, file.fileId)?.url;
  const { name, recording } = file;
  const { ms, hasFailed, ...known } = usePlayback(file.fileId);
  const totalMs = recording?.durationMs ?? known.durationMs;
  const sound = url === undefined ? null : { id: file.fileId, url, isVoice: recording !== undefined };
  return (
    <div
      role="group"
      aria-label={name}
      className={`flex w-88 max-w-full items-center gap-2 rounded-md border border-line bg-raised p-1.5 pe-2 ${soundHeight(file)}`}
    >
      <SoundButton sound={sound} name={name} />
      <div className="min-w-0 flex-1">
        {recording === undefined && (
          <p className="truncate text-sm font-medium" title={name}>
            {name}
          </p>
        )}
        <Seek sound={sound} name={name} ms={ms} totalMs={totalMs} peaks={recording?.peaks} />
        {hasFailed && <p className="text-xs text-danger-text">{t("player.failed")}</p>}
      </div>
      <span dir="ltr" className="shrink-0 text-xs text-muted tabular-nums">
        {ms > 0 || totalMs === null ? clockText(ms) : clockText(totalMs)}
      </span>
      {recording !== undefined && <SpeedButton />}
      {url !== undefined && <DownloadLink url={url} name={name} />}
    </div>
  );
}

/** Plays a recording that hasn't been sent, until it is sent or removed. */
export function PlayButton({ id, url, name }: { id: string; url: string; name: string }) {
  useEffect(() => () => pause(id), [id]);
  return <SoundButton sound={{ id, url, isVoice: true }} name={name} />;
}

function SoundButton({ sound, name }: { sound: Sound | null; name: string }) {
  const { t } = useTranslation("messages");
  const { isPlaying } = usePlayback(sound?.id ?? "");
  const Icon = isPlaying ? Pause : Play;
  return (
    <button
      type="button"
      aria-label={isPlaying ? t("player.pause", { name }) : t("player.play", { name })}
      disabled={sound === null}
      className="flex size-control shrink-0 items-center justify-center rounded-full bg-accent text-on-accent hover:not-disabled:bg-accent-hover disabled:opacity-50"
      onClick={() => sound !== null && togglePlaying(sound)}
    >
      <Icon size={18} aria-hidden fill="currentColor" />
    </button>
  );
}

function SpeedButton() {
  const { t, i18n } = useTranslation("messages");
  const speed = useSpeed();
  const text = `${new Intl.NumberFormat(i18n.language).format(speed)}×`;
  const next = SPEEDS[(SPEEDS.findIndex((each) => each === speed) + 1) % SPEEDS.length]!;
  return (
    <button
      type="button"
      aria-label={t("player.speed", { speed: text })}
      className="h-control-sm w-9 shrink-0 rounded-md text-xs font-medium text-muted tabular-nums hover:bg-hover hover:text-text"
      onClick={() => setSpeed(next)}
    >
      {text}
    </button>
  );
}

interface SeekProps {
  sound: Sound | null;
  name: string;
  ms: number;
  totalMs: number | null;
  peaks: string | undefined;
}

/** Like any player, from left to right in all languages. */
function Seek({ sound, name, ms, totalMs, peaks }: SeekProps) {
  const { t } = useTranslation("messages");
  const max = totalMs ?? 0;
  const at = Math.min(ms, max);
  const percent = max === 0 ? 0 : (at / max) * 100;
  const go = (to: number) => sound !== null && seek(sound, Math.max(0, Math.min(to, max)));
  const onKeyDown = (event: KeyboardEvent) => {
    const way = WAYS[event.key];
    if (way === undefined) return;
    event.preventDefault();
    go(at + way * Math.min(STEP_MS, max / STEPS));
  };
  return (
    <div
      dir="ltr"
      className="relative flex h-8 items-center rounded-sm outline-focus has-focus-visible:outline-2"
    >
      {peaks === undefined ? <Bar percent={percent} /> : <Waveform peaks={peaks} percent={percent} />}
      <input
        type="range"
        aria-label={t("player.position", { name })}
        aria-valuetext={t("player.time", { time: clockText(at), total: clockText(max) })}
        className="absolute inset-0 size-full cursor-pointer opacity-0 disabled:cursor-default"
        disabled={sound === null || max === 0}
        min={0}
        max={max}
        step="any"
        value={at}
        onChange={(event) => go(Number(event.target.value))}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

function Bar({ percent }: { percent: number }) {
  return (
    <span className="h-1.5 w-full overflow-hidden rounded-full bg-selected">
      <span className="block h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
    </span>
  );
}

function Waveform({ peaks, percent }: { peaks: string; percent: number }) {
  const path = peaks.split("").map((digit, index) => {
    const height = 2 + (parseInt(digit, 32) / HIGHEST_DIGIT) * (HEIGHT - 6);
    return `M${(index + 0.5) * BAR_WIDTH} ${(HEIGHT - height) / 2}v${height}`;
  });
  const bars = (className: string, clipPath?: string) => (
    <svg
      aria-hidden
      viewBox={`0 0 ${peaks.length * BAR_WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={`absolute inset-0 size-full fill-none stroke-current ${className}`}
      style={{ clipPath }}
    >
      <path d={path.join("")} strokeWidth={2} strokeLinecap="round" vectorEffect="non-scaling-stroke" />
    </svg>
  );
  return (
    <>
      {bars("text-line-strong")}
      {bars("text-accent", `inset(0 ${100 - percent}% 0 0)`)}
    </>
  );
}
