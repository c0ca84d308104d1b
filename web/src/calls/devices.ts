import i18next from "i18next";
import { useEffect, useState } from "react";

export type DeviceKind = "audioinput" | "videoinput" | "audiooutput";

export interface Devices {
  microphones: readonly MediaDeviceInfo[];
  cameras: readonly MediaDeviceInfo[];
  speakers: readonly MediaDeviceInfo[];
}

const NO_DEVICES: Devices = { microphones: [], cameras: [], speakers: [] };

/** Browsers only have this on pages with HTTPS. */
export const hasDevices = (): boolean => "mediaDevices" in navigator;

/** Not all browsers can play calls on another device than the system's. */
export const canChooseSpeaker = (): boolean => "setSinkId" in HTMLMediaElement.prototype;

/**
 * The devices of this computer, kept current. They have names once the user has allowed their use.
 * @param refresh changes when names may have become known
 */
export function useDevices(refresh: unknown): Devices {
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

/** What is wrong with a microphone, a camera or a shared screen, for users. */
export function deviceErrorText(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "NotAllowedError" || name === "PermissionDeniedError")
    return i18next.t("calls:device.refused");
  if (name === "NotFoundError" || name === "OverconstrainedError") return i18next.t("calls:device.missing");
  if (name === "NotReadableError" || name === "TrackStartError") return i18next.t("calls:device.busy");
  if (name === "SecurityError" || !hasDevices()) return i18next.t("calls:device.insecure");
  return i18next.t("calls:device.failed");
}
