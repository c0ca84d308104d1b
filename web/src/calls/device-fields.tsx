import { type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Mic, MicOff, Video, VideoOff } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { Select } from "../ui/select.tsx";
import { useCallSettings, setCallSettings } from "./call-settings.ts";
import { deviceErrorText, hasDevices } from "./calls.tsx";
import { Dialog } from "../ui/dialog.tsx";

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

type DeviceKind = "audioinput" | "videoinput" | "audiooutput";

interface Devices {
  microphones: readonly MediaDeviceInfo[];
  cameras: readonly MediaDeviceInfo[];
  speakers: readonly MediaDeviceInfo[];
}

const NO_DEVICES: Devices = { microphones: [], cameras: [], speakers: [] };

/** Not all browsers can play calls on another device than the system's. */
const canChooseSpeaker = (): boolean => "setSinkId" in HTMLMediaElement.prototype;

/**
 * The devices of this computer, kept current. They have names once the user has allowed their use.
 * @param refresh changes when names may have become known
 */
function useDevices(refresh: unknown): Devices {
  const [devices, setDevices] = useState(NO_DEVICES);
  useEffect(() => {
    if (!hasDevices()) return undefined;
    let isShown = true;
    const list = async (): Promise<void> => {
      const all = await navigator.mediaDevices.enumerateDevices();
      const ofKind = (wanted: DeviceKind) =>
        all.filter(({ kind, deviceId, label }) => kind === wanted && deviceId !== "" && label !== "");
      if (!isShown) return;
      setDevices({
        microphones: ofKind("audioinput"),
        cameras: ofKind("videoinput"),
        speakers: ofKind("audiooutput"),
      });
    };
    const update = () => void list();
    update();
    navigator.mediaDevices.addEventListener("devicechange", update);
    return () => {
      isShown = false;
      navigator.mediaDevices.removeEventListener("devicechange", update);
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the names may have become known
  }, [refresh]);
  return devices;
}

interface DeviceDialogProps {
  onClose: () => void;
  onJoin: () => void;
  onCancel?: (() => void) | undefined;
}

/** Before the first call in this browser. */
export function DeviceDialog({ onClose, onJoin, onCancel }: DeviceDialogProps) {
  const { t } = useTranslation("calls");
  const join = () => {
    setCallSettings({ hasChosen: true });
    onClose();
    onJoin();
  };
  const cancel = () => {
    onClose();
    onCancel?.();
  };
  return (
    <Dialog
      onClose={cancel}
      title={t("device.title")}
      description={t("device.text")}
      footer={
        <>
          <Button onClick={cancel}>{t("ui:cancel")}</Button>
          <Button variant="primary" onClick={join}>
            {t("join")}
          </Button>
        </>
      }
    >
      <DeviceFields isMicrophoneTested />
    </Dialog>
  );
}
