import { type SyntheticEvent, useCallback, useState } from "react";
// One sound or video plays at a time.
import "./sound.ts";

/** Where videos were when their message was scrolled away. */
const left = new Map<string, { seconds: number; wasPlaying: boolean }>();

interface VideoProps {
  fileId: string;
  name: string;
  url: string;
  onError: () => void;
}

/** Continues where it was, because messages that are scrolled away are removed from the page. */
export function Video({ fileId, name, url, onError }: VideoProps) {
  // A renewed link would start the video again.
  const [src, setSrc] = useState(url);
  const keepPlace = useCallback(
    (video: HTMLVideoElement) => {
      const place = left.get(fileId);
      left.delete(fileId);
      if (place !== undefined) {
        video.currentTime = place.seconds;
        if (place.wasPlaying) video.play().catch(() => undefined);
      }
      return () => {
        if (video.currentTime > 0)
          left.set(fileId, { seconds: video.currentTime, wasPlaying: !video.paused });
      };
    },
    [fileId],
  );
  const retry = ({ currentTarget: { currentTime } }: SyntheticEvent<HTMLVideoElement>) => {
    if (src === url) return onError();
    left.set(fileId, { seconds: currentTime, wasPlaying: false });
    setSrc(url);
  };
  return (
    // Uploaded videos have no captions.
    <video
      key={src}
      ref={keepPlace}
      controls
      playsInline
      // Shows the first picture, which Safari only loads for a position.
      preload="metadata"
      aria-label={name}
      src={`${src}#t=0.001`}
      className="size-full"
      onError={retry}
    />
  );
}
