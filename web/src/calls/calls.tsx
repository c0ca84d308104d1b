import type { Channel } from "@fanfare/contract";
import i18next from "i18next";
import type { ServerCache } from "../data/cache.ts";
import { whenLoaded } from "../shared/when-loaded.ts";
import { createQueue, ErrorWithText } from "../shared/use-action.ts";
import { showFailure, showToast } from "../ui/feedback.tsx";
import type { EndReason } from "./call-session.ts";
import {
  type CallKey,
  changeCurrentCall,
  type CurrentCall,
  endCurrentCall,
  getCall,
  getCurrentCall,
  startCurrentCall,
} from "./call-store.ts";
import { lazy } from "../shared/later.tsx";
import { openDialog } from "../ui/open-dialog.tsx";
import { useCallSettings } from "./call-settings.ts";

type Place = Pick<Channel, "id" | "groupId">;

interface JoinOptions {
  withCamera?: boolean;
  isMicrophoneWanted?: boolean;
  isDeafened?: boolean;
}

/** Otherwise, leaving a call could end one that was joined afterwards. */
const inOrder = createQueue();

/**
 * Joins the call of a channel, and leaves another one first. Starts the call if there is none. Failures are shown as a toast.
 * @returns whether the user is in the call
 */
async function joinCall(
  cache: ServerCache,
  { id: channelId, groupId }: Place,
  { withCamera = false, isMicrophoneWanted = true, isDeafened = false }: JoinOptions = {},
): Promise<boolean> {
  if (getCurrentCall()?.channelId === channelId) return true;
  void leaveCall(cache);
  const key = startCurrentCall({ channelId, groupId, isMicrophoneWanted, isDeafened });
  return inOrder(() => connect(cache, key, channelId, withCamera));
}

/** The user may leave at any time: then `leaveCall` tells the server. */
async function connect(
  cache: ServerCache,
  key: CallKey,
  channelId: string,
  withCamera: boolean,
): Promise<boolean> {
  if (getCall(key) === null) return false;
  let hasJoined = false;
  try {
    const [{ connectCall }, { url, token }] = await Promise.all([
      whenLoaded(() => import("./call-session.ts")),
      cache.client.call("call.join", { channelId }),
    ]);
    hasJoined = true;
    if (getCall(key) === null) return false;
    const session = await connectCall({
      url,
      token,
      key,
      onEnd: (reason) => finish(key, reason),
      onSpeaking(isSpeaking) {
        // Best effort: the next report follows soon.
        cache.client.call("call.setSpeaking", { channelId, isSpeaking }).catch(() => undefined);
      },
      onDeviceError: showDeviceError,
    }).catch((error: unknown) => {
      if (import.meta.env.DEV) console.warn(error);
      throw new ErrorWithText(i18next.t("calls:cannotConnect"));
    });
    if (getCall(key) === null) {
      await session.leave();
      return false;
    }
    changeCurrentCall(key, { session });
    session.start(withCamera);
    return true;
  } catch (error) {
    if (getCall(key) === null) return false;
    endCurrentCall();
    showFailure(error);
    if (hasJoined) await forget(cache, channelId);
    return false;
  }
}

/** The last call that ended without the user having left it. */
let lastEnded: { call: CurrentCall; atMs: number } | null = null;
/** How much later than the end of a call its move to another channel can be reported. */
const MOVE_MS = 2000;

function finish(key: CallKey, reason: EndReason): void {
  const call = getCall(key);
  if (call === null) return;
  endCurrentCall();
  lastEnded = { call, atMs: Date.now() };
  const tell = () =>
    showToast({ text: i18next.t(`calls:ended.${reason}`), tone: reason === "lost" ? "danger" : "info" });
  // A moderator may be moving the user to another call.
  if (reason === "removed") setTimeout(() => getCurrentCall() === null && tell(), MOVE_MS);
  else tell();
}

/** Follows a moderator's move to another channel, if this page is in the call. A muted microphone stays off. */
export async function followMove(cache: ServerCache, fromId: string, toId: string): Promise<void> {
  const ended = lastEnded !== null && Date.now() - lastEnded.atMs < MOVE_MS ? lastEnded.call : null;
  const call = getCurrentCall() ?? ended;
  if (call?.channelId !== fromId) return;
  const { groupId, isMicrophoneWanted, isDeafened } = call;
  if (await joinCall(cache, { id: toId, groupId }, { isMicrophoneWanted, isDeafened }))
    showToast({ text: i18next.t("calls:moved") });
}

/** Does nothing outside of a call. */
export async function leaveCall(cache: ServerCache): Promise<void> {
  const current = getCurrentCall();
  if (current === null) return;
  endCurrentCall();
  const left = current.session?.leave();
  await inOrder(async () => {
    await left;
    await forget(cache, current.channelId);
  });
}

/** Without this, the server would notice it only from the media server. */
async function forget(cache: ServerCache, channelId: string): Promise<void> {
  await cache.client.call("call.leave", { channelId }).catch(() => undefined);
}

function showDeviceError(error: unknown): void {
  showToast({ text: deviceErrorText(error), tone: "danger" });
}

/** Whether there was a call to change. Failures are shown as a toast. */
function change(run: (current: CurrentCall) => Promise<void> | undefined): boolean {
  const current = getCurrentCall();
  if (current === null || current.session === null) return false;
  run(current)?.catch(showDeviceError);
  return true;
}

export const toggleMicrophone = (): boolean =>
  change(async ({ session, isMicrophoneOn, isDeafened, canSpeak }) => {
    // Those who speak also want to hear the answer.
    if (isDeafened) await session?.setDeafened(false);
    if (canSpeak) await session?.setMicrophone(!isMicrophoneOn);
  });

/** For push-to-talk. */
export const setMicrophone = (isOn: boolean): boolean =>
  change(({ session, canSpeak, isDeafened }) =>
    canSpeak && !(isOn && isDeafened) ? session?.setMicrophone(isOn) : undefined,
  );

export const toggleDeafened = (): boolean =>
  change(({ session, isDeafened }) => session?.setDeafened(!isDeafened));

export const toggleCamera = (): boolean =>
  change(({ session, isCameraOn, canShowVideo }) =>
    canShowVideo ? session?.setCamera(!isCameraOn) : undefined,
  );

export const toggleScreen = (): boolean =>
  change(({ session, isScreenShared, canShareScreen }) =>
    canShareScreen ? session?.setScreen(!isScreenShared).catch(unlessCanceled) : undefined,
  );

/** Browsers report the same error when the user closes the choice of a window. */
function unlessCanceled(error: unknown): void {
  if (!(error instanceof Error) || error.name !== "NotAllowedError") throw error;
}

/** Browsers only have this on pages with HTTPS. */
export const hasDevices = (): boolean => "mediaDevices" in navigator;

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

const DeviceDialog = lazy(async () => (await import("./device-fields.tsx")).DeviceDialog);

export interface UserJoinOptions extends Pick<JoinOptions, "withCamera"> {
  onJoined?: () => void;
  /** The user closed the choice of devices. */
  onCancel?: () => void;
}

/** Joins or starts the call of a channel. The first time, it asks for the devices. */
export function join(
  cache: ServerCache,
  channel: Place,
  { withCamera = false, onJoined, onCancel }: UserJoinOptions = {},
): void {
  const joinNow = async (): Promise<void> => {
    if (await joinCall(cache, channel, { withCamera })) onJoined?.();
  };
  if (useCallSettings.getState().hasChosen) return void joinNow();
  openDialog((close) => <DeviceDialog onClose={close} onJoin={() => void joinNow()} onCancel={onCancel} />);
}
