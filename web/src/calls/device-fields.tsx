import { type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Mic, MicOff, Video, VideoOff } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { Switch } from "../ui/choices.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { Select } from "../ui/select.tsx";
import { useCallSettings, setCallSettings } from "./call-settings.ts";
import { canChooseSpeaker, type Devices, deviceErrorText, hasDevices, useDevices } from "./devices.ts";
import { keyName } from "./talk-key.ts";

type DeviceSetting = "microphoneId" | "cameraId" | "speakerId";

const FIELDS = [
  { name: "microphoneId", list: "microphones", textKey: "calls:device.microphone" },
  { name: "speakerId", list: "speakers", textKey: "calls:device.speaker" },
  { name: "cameraId", list: "cameras", textKey: "calls:device.camera" },
] as const satisfies readonly { name: DeviceSetting; list: keyof Devices; textKey: string }[];

const DEFAULT_DEVICE = "";
const METER_BARS = 24;
/** Speech at a normal distance fills about two thirds of the meter. */
const SENSITIVITY = 4;

interface DeviceFieldsProps {
  /** Otherwise the user starts the test of the microphone. */
  isMicrophoneTested?: boolean;
}

/** The choice of devices for calls, with the camera's picture and the level of the microphone. */
export function DeviceFields({ isMicrophoneTested = false }: DeviceFieldsProps) {
  const { t } = useTranslation("calls");
  const settings = useCallSettings();
  const [isCameraShown, setCameraShown] = useState(false);
  const [isTesting, setTesting] = useState(isMicrophoneTested);
  const microphone = useStream("audio", settings.microphoneId, isTesting);
  const camera = useStream("video", settings.cameraId, isCameraShown);
  const devices = useDevices(microphone.stream ?? camera.stream);
  return (
    <div className="grid gap-4">
      <Preview stream={camera.stream} isOn={isCameraShown} onChange={setCameraShown} />
      <ErrorNote text={camera.error ?? microphone.error} />
      {FIELDS.map(({ name, list, textKey }) =>
        name === "speakerId" && !canChooseSpeaker() ? null : (
          <div key={name} className="grid gap-1.5">
            <Select
              label={t(textKey)}
              value={devices[list].some(({ deviceId }) => deviceId === settings[name]) ? settings[name] : ""}
              onChange={(chosen) => setCallSettings({ [name]: chosen })}
              options={[
                { value: DEFAULT_DEVICE, label: t("device.default") },
                ...devices[list]
                  .filter(({ deviceId }) => deviceId !== "default")
                  .map(({ deviceId, label }) => ({ value: deviceId, label })),
              ]}
            />
            {name === "microphoneId" && isTesting && <LevelMeter stream={microphone.stream} />}
            {name === "microphoneId" && !isMicrophoneTested && (
              <Button
                size="sm"
                className="justify-self-start"
                icon={isTesting ? MicOff : Mic}
                onClick={() => setTesting(!isTesting)}
              >
                {isTesting ? t("device.stopTest") : t("device.testMicrophone")}
              </Button>
            )}
          </div>
        ),
      )}
    </div>
  );
}

/** How the microphone is used. */
export function MicrophoneSwitches() {
  const { t } = useTranslation("calls");
  const { echoCancellation, noiseSuppression, autoGainControl, pushToTalk } = useCallSettings();
  return (
    <div className="grid gap-4">
      <Switch
        label={t("settings.noise")}
        hint={t("settings.noiseHint")}
        checked={noiseSuppression}
        onChange={(isOn) => setCallSettings({ noiseSuppression: isOn })}
      />
      <Switch
        label={t("settings.echo")}
        hint={t("settings.echoHint")}
        checked={echoCancellation}
        onChange={(isOn) => setCallSettings({ echoCancellation: isOn })}
      />
      <Switch
        label={t("settings.gain")}
        hint={t("settings.gainHint")}
        checked={autoGainControl}
        onChange={(isOn) => setCallSettings({ autoGainControl: isOn })}
      />
      <Switch
        label={t("settings.pushToTalk")}
        hint={t("settings.pushToTalkHint")}
        checked={pushToTalk}
        onChange={(isOn) => setCallSettings({ pushToTalk: isOn })}
      />
      {pushToTalk && <KeyField />}
    </div>
  );
}

/** The next key that is pressed becomes the one for push-to-talk. */
function KeyField() {
  const { t } = useTranslation("calls");
  const key = useCallSettings(({ pushToTalkKey }) => pushToTalkKey);
  const [isListening, setListening] = useState(false);
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <span className="font-medium">{t("settings.key")}</span>
      <Button
        size="sm"
        aria-pressed={isListening}
        aria-label={isListening ? t("settings.pressKey") : t("settings.changeKey", { key: keyName(key) })}
        onClick={() => setListening(true)}
        onBlur={() => setListening(false)}
        onKeyDown={(event) => {
          if (!isListening || event.key === "Tab") return;
          event.preventDefault();
          event.stopPropagation();
          setListening(false);
          if (event.key !== "Escape") setCallSettings({ pushToTalkKey: event.code });
        }}
      >
        {isListening ? t("settings.pressKey") : keyName(key)}
      </Button>
    </div>
  );
}

interface PreviewProps {
  stream: MediaStream | null;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

function Preview({ stream, isOn, onChange }: PreviewProps) {
  const { t } = useTranslation("calls");
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current !== null) video.current.srcObject = stream;
  }, [stream]);
  return (
    <div className="relative flex aspect-video items-center justify-center overflow-hidden rounded-lg bg-code">
      {/* Like a mirror. */}
      <video
        ref={video}
        autoPlay
        muted
        playsInline
        aria-label={t("device.preview")}
        className={stream === null ? "hidden" : "size-full -scale-x-100 object-cover"}
      />
      <div className={stream === null ? "" : "absolute bottom-2 end-2"}>
        <Button size="sm" icon={isOn ? VideoOff : Video} onClick={() => onChange(!isOn)}>
          {isOn ? t("device.stopTest") : t("device.showPreview")}
        </Button>
      </div>
    </div>
  );
}

/** How loud the microphone is. Its bars are changed outside of React, because that happens in each frame. */
function LevelMeter({ stream }: { stream: MediaStream | null }) {
  const { t } = useTranslation("calls");
  const meter = useRef<HTMLDivElement>(null);
  useEffect(() => (stream === null ? undefined : followLevel(stream, meter)), [stream]);
  return (
    <div ref={meter} role="img" aria-label={t("device.level")} className="flex h-2 gap-0.5">
      {Array.from({ length: METER_BARS }, (_, index) => (
        <span key={index} className="flex-1 rounded-full bg-selected data-on:bg-good" />
      ))}
    </div>
  );
}

function followLevel(stream: MediaStream, meter: RefObject<HTMLDivElement | null>): () => void {
  const audio = new AudioContext();
  const analyser = audio.createAnalyser();
  if (audio.state === "suspended") void audio.resume();
  audio.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  let frame = 0;
  const show = (): void => {
    analyser.getFloatTimeDomainData(samples);
    const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    const count = Math.round(Math.min(1, loudest * SENSITIVITY) * METER_BARS);
    for (const [index, bar] of [...(meter.current?.children ?? [])].entries())
      bar.toggleAttribute("data-on", index < count);
    frame = requestAnimationFrame(show);
  };
  show();
  return () => {
    cancelAnimationFrame(frame);
    void audio.close();
  };
}

interface StreamState {
  stream: MediaStream | null;
  error: string | null;
}

const NO_STREAM: StreamState = { stream: null, error: null };

/** A device's stream while it is wanted. */
function useStream(kind: "audio" | "video", deviceId: string, isWanted: boolean): StreamState {
  const [state, setState] = useState(NO_STREAM);
  useEffect(() => {
    if (!isWanted) return undefined;
    let isEnded = false;
    let opened: MediaStream | null = null;
    const stop = () => opened?.getTracks().forEach((track) => track.stop());
    const open = async (): Promise<void> => {
      try {
        if (!hasDevices()) throw new DOMException("", "SecurityError");
        const wanted = deviceId === DEFAULT_DEVICE ? true : { deviceId };
        opened = await navigator.mediaDevices.getUserMedia({ [kind]: wanted });
        if (isEnded) stop();
        else setState({ stream: opened, error: null });
      } catch (error) {
        if (!isEnded) setState({ stream: null, error: deviceErrorText(error) });
      }
    };
    void open();
    return () => {
      isEnded = true;
      stop();
      setState(NO_STREAM);
    };
  }, [kind, deviceId, isWanted]);
  return state;
}
