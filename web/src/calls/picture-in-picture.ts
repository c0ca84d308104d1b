import type { Track } from "livekit-client";

let shown: { track: Track; close: () => void } | null = null;

/**
 * Shows a picture in a window of its own, also while the user is on other pages: with an element outside of the page.
 * @throws {DOMException} if the browser doesn't allow it
 */
export async function showOutside(track: Track): Promise<void> {
  closeOutside();
  const element = document.createElement("video");
  element.muted = true;
  element.ariaHidden = "true";
  // The size is what LiveKit asks for.
  element.className = "pointer-events-none fixed start-0 top-0 -z-10 h-90 w-160 opacity-0";
  const loaded = new Promise((resolve) =>
    element.addEventListener("loadedmetadata", resolve, { once: true }),
  );
  document.body.append(element);
  track.attach(element);
  const close = (): void => {
    if (document.pictureInPictureElement === element) void document.exitPictureInPicture();
    track.detach(element);
    element.remove();
    if (shown?.close === close) shown = null;
  };
  element.addEventListener("leavepictureinpicture", close, { once: true });
  shown = { track, close };
  try {
    await loaded;
    await element.requestPictureInPicture();
  } catch (error) {
    close();
    throw error;
  }
}

/** Closes the window, or only that of a track that has ended. */
export function closeOutside(track?: Track): void {
  if (track === undefined || shown?.track === track) shown?.close();
}
