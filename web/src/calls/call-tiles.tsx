import type { Channel } from "@fanfare/contract";
import type { Room } from "livekit-client";
import { Ellipsis, MicOff, PictureInPicture2, ScreenShare, SignalLow, VolumeX } from "lucide-react";
import { type CSSProperties, memo, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePerson } from "../people/members/user-name.tsx";
import { IconButton } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { Avatar } from "../ui/display.tsx";
import { useHandler } from "../shared/hooks.ts";
import { showFailure } from "../ui/feedback.tsx";
import { Popover } from "../ui/popover.tsx";
import { useCallSettings, useVolume } from "./call-settings.ts";
import { gridColumns, largeTile, type Tile, useTiles } from "./tiles.ts";
import { showOutside } from "./picture-in-picture.ts";
import { PersonOptions } from "./person-options.tsx";

const LARGE_AVATAR_PX = 72;
const SMALL_AVATAR_PX = 40;

export function Pictures({ room, channel }: { room: Room; channel: Channel }) {
  const { t } = useTranslation("calls");
  const tiles = useTiles(room);
  const layout = useCallSettings((settings) => settings.layout);
  const [pinnedKey, setPinnedKey] = useState<string | null>(null);
  const [lastKey, setLastKey] = useState<string | null>(null);
  const hasScreen = tiles.some(({ isScreen }) => isScreen);
  const isPinned = tiles.some(({ key }) => key === pinnedKey);
  const isLarge = layout === "speaker" || hasScreen || isPinned;
  const large = isLarge ? largeTile(tiles, pinnedKey, lastKey) : undefined;
  if (large !== undefined && large.key !== lastKey) setLastKey(large.key);
  const togglePin = useHandler((key: string) => setPinnedKey(key === pinnedKey ? null : key));
  const render = (tile: Tile, avatarPx = LARGE_AVATAR_PX) => (
    <TileItem
      key={tile.key}
      avatarPx={avatarPx}
      tile={tile}
      channel={channel}
      isPinned={tile.key === pinnedKey}
      onPin={togglePin}
    />
  );
  if (large === undefined || tiles.length === 1)
    return <Grid label={t("people")}>{tiles.map((tile) => render(tile))}</Grid>;
  return (
    <ul aria-label={t("people")} className="flex min-h-0 flex-1 flex-col gap-2">
      {render(large)}
      <li className="h-24 shrink-0 max-md:h-20">
        <ul className="flex h-full gap-2 overflow-x-auto *:aspect-video *:flex-none">
          {tiles.filter((tile) => tile !== large).map((tile) => render(tile, SMALL_AVATAR_PX))}
        </ul>
      </li>
    </ul>
  );
}

/** As large as the area allows. Many pictures scroll. */
function Grid({ label, children }: { label: string; children: readonly ReactNode[] }) {
  const list = useRef<HTMLUListElement>(null);
  const [columns, setColumns] = useState(1);
  const { length: count } = children;
  useEffect(() => {
    const element = list.current!;
    const measure = () => setColumns(gridColumns(count, element.clientWidth, element.clientHeight));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [count]);
  return (
    <ul
      ref={list}
      aria-label={label}
      className="grid min-h-0 flex-1 auto-rows-[minmax(6rem,1fr)] grid-cols-(--columns) gap-2 overflow-y-auto"
      style={{ "--columns": `repeat(${columns}, minmax(0, 1fr))` } as CSSProperties}
    >
      {children}
    </ul>
  );
}

interface TileItemProps {
  tile: Tile;
  avatarPx: number;
  channel: Channel;
  isPinned: boolean;
  onPin: (key: string) => void;
}

/** Tiles are new objects at each change of the call. */
function isSameTile({ tile: before, ...rest }: TileItemProps, { tile, ...props }: TileItemProps): boolean {
  return isSame(before, tile) && isSame(rest, props);
}

const isSame = <T extends object>(a: T, b: T): boolean =>
  (Object.keys(b) as (keyof T)[]).every((name) => a[name] === b[name]);

const TileItem = memo(function TileItem({ tile, avatarPx, channel, isPinned, onPin }: TileItemProps) {
  const { t } = useTranslation("calls");
  const { userId, isOwn, isScreen, isSpeaking, isMicrophoneOn, hasPoorConnection, publication } = tile;
  const { name, avatarUrl } = usePerson(userId, channel.groupId);
  const isSilent = useVolume(userId) === 0 && !isOwn;
  const title = isScreen ? t("screenOf", { name }) : isOwn ? t("you", { name }) : name;
  return (
    <li
      data-user-id={userId}
      data-speaking={isSpeaking || undefined}
      className={cx(
        "group relative flex min-h-0 min-w-0 flex-1 items-center justify-center overflow-hidden rounded-lg border-2 bg-selected transition-colors",
        isSpeaking ? "border-good" : "border-transparent",
      )}
    >
      {publication === undefined ? (
        <Avatar name={name} id={userId} src={avatarUrl} size={avatarPx} />
      ) : (
        <Picture tile={tile} label={title} />
      )}
      <p className="absolute start-2 bottom-2 flex max-w-[calc(100%-1rem)] items-center gap-1.5 rounded-sm bg-tooltip/85 px-1.5 py-0.5 text-xs font-medium text-on-tooltip">
        {isScreen ? (
          <ScreenShare size={13} aria-hidden className="shrink-0" />
        ) : (
          !isMicrophoneOn && (
            <>
              <MicOff size={13} aria-hidden className="shrink-0" />
              <span className="sr-only">{t("isMuted")}</span>
            </>
          )
        )}
        {isSilent && <VolumeX size={13} aria-hidden className="shrink-0" />}
        {hasPoorConnection && (
          <>
            <SignalLow size={13} aria-hidden className="shrink-0" />
            <span className="sr-only">{t("quality.poor")}</span>
          </>
        )}
        <span className="truncate">{title}</span>
      </p>
      <span className="absolute end-1.5 top-1.5 flex gap-1 rounded-md bg-raised opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-popup-open:opacity-100 touch:opacity-100">
        {publication !== undefined && document.pictureInPictureEnabled && (
          <IconButton
            icon={PictureInPicture2}
            size="sm"
            label={t("pictureInPicture", { name: title })}
            onClick={() => void showOutside(publication.track!).catch(showFailure)}
          />
        )}
        <Popover
          label={t("optionsOf", { name: title })}
          align="end"
          className="w-64"
          trigger={<IconButton icon={Ellipsis} size="sm" label={t("optionsOf", { name: title })} />}
        >
          {(close) => (
            <PersonOptions
              userId={userId}
              name={name}
              isOwn={isOwn}
              isScreen={isScreen}
              channel={channel}
              isPinned={isPinned}
              onPin={() => {
                onPin(tile.key);
                close();
              }}
              onDone={close}
            />
          )}
        </Popover>
      </span>
    </li>
  );
}, isSameTile);

/** The video plays without controls, and is received only while it is in view. */
function Picture({ tile: { publication, isOwn, isScreen }, label }: { tile: Tile; label: string }) {
  const video = useRef<HTMLVideoElement>(null);
  const track = publication?.track;
  useEffect(() => {
    const element = video.current;
    if (element === null || track === undefined) return undefined;
    track.attach(element);
    // Browsers don't always start the picture by themselves, as after a change of the layout.
    element.play().catch(() => undefined);
    return () => void track.detach(element);
  }, [track]);
  return (
    <video
      ref={video}
      autoPlay
      muted
      playsInline
      aria-label={label}
      className={cx(
        "size-full",
        isScreen ? "bg-viewer object-contain" : "object-cover",
        // Like a mirror.
        isOwn && !isScreen && "-scale-x-100",
      )}
    />
  );
}
