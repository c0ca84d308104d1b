import type { Channel } from "@fanfare/contract";
import type { Room } from "livekit-client";
import {
  BellRing,
  Ellipsis,
  GalleryVerticalEnd,
  LayoutGrid,
  MessageSquareText,
  MicOff,
  PhoneOff,
  PictureInPicture2,
  ScreenShare,
  Settings,
  SignalLow,
  VolumeX,
} from "lucide-react";
import { type CSSProperties, memo, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../data/call.ts";
import { useOngoingCall } from "../data/calls.ts";
import { useCanInChannel } from "../data/groups.ts";
import { useNicknames } from "../data/members.ts";
import { usePerson } from "../people/members/user-name.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { Avatar } from "../ui/display.tsx";
import { Menu } from "../ui/menu.tsx";
import { openConfirm } from "../ui/open-dialog.tsx";
import { settingsPath } from "../routes.ts";
import { useHandler } from "../shared/hooks.ts";
import { showFailure, showToast, Spinner } from "../ui/feedback.tsx";
import { Popover } from "../ui/popover.tsx";
import { LargeControls } from "./call-controls.tsx";
import { setCallSettings, useCallSettings, useVolume } from "./call-settings.ts";
import { type CurrentCall, useCurrentCall } from "./call-store.ts";
import { gridColumns, largeTile } from "./layout.ts";
import { showOutside } from "./picture-in-picture.ts";
import { PersonOptions } from "./person-options.tsx";
import { type InvitedState, useRings } from "./rings.ts";
import { type Tile, useTiles } from "./room-state.ts";

const LARGE_AVATAR_PX = 72;
const SMALL_AVATAR_PX = 40;

interface CallViewProps {
  channel: Channel;
  /** Whether it takes the place of the messages. */
  isFull: boolean;
  onFull: (isFull: boolean) => void;
}

/** The pictures of the call that the user is in, and its controls. */
export function CallView(props: CallViewProps) {
  const { t } = useTranslation("calls");
  const { channel, isFull, onFull } = props;
  const current = useCurrentCall();
  const layout = useCallSettings((settings) => settings.layout);
  useNicknames(channel.groupId);
  const view = useRef<HTMLElement>(null);
  useEffect(() => {
    // The button that joined the call is gone.
    if (document.activeElement === document.body) view.current?.focus();
  }, []);
  if (current === null) return null;
  const { status, session } = current;
  return (
    <section
      ref={view}
      tabIndex={-1}
      aria-label={t("view")}
      className={cx(
        "relative flex outline-none min-h-0 flex-col gap-3 border-b border-line bg-sidebar p-3",
        isFull ? "flex-1" : "h-[46%] shrink-0",
      )}
    >
      <div className="flex min-h-0 flex-1 flex-col">
        {session === null ? (
          <div className="m-auto flex items-center gap-2.5 text-muted">
            <Spinner />
            <span role="status">{t("status.joining")}</span>
          </div>
        ) : (
          <Pictures room={session.room} channel={channel} />
        )}
      </div>
      {status === "reconnecting" && (
        <p
          role="status"
          className="absolute inset-x-0 top-5 mx-auto flex w-fit items-center gap-2 rounded-full bg-tooltip px-3 py-1 text-sm font-medium text-on-tooltip"
        >
          <Spinner size={16} />
          {t("status.reconnecting")}
        </p>
      )}
      <SoundBlocked current={current} />
      <InvitedPeople channel={channel} />
      <div className="flex flex-wrap items-center justify-center gap-2">
        <LargeControls />
        <span className="flex gap-1 md:absolute md:end-3 md:bottom-4">
          <IconButton
            icon={layout === "grid" ? GalleryVerticalEnd : LayoutGrid}
            label={layout === "grid" ? t("layout.speaker") : t("layout.grid")}
            onClick={() => setCallSettings({ layout: layout === "grid" ? "speaker" : "grid" })}
          />
          <IconButton
            icon={MessageSquareText}
            label={isFull ? t("showMessages") : t("hideMessages")}
            pressed={!isFull}
            onClick={() => onFull(!isFull)}
          />
          <MoreMenu channel={channel} />
        </span>
      </div>
    </section>
  );
}

/** Those whom the user has rung, and who aren't in the call. */
function InvitedPeople({ channel: { id, groupId } }: { channel: Channel }) {
  const { t } = useTranslation("calls");
  const callId = useOngoingCall(id)?.id ?? "";
  const invited = useRings((rings) => rings.invited[callId]);
  const people = Object.entries(invited ?? {});
  if (people.length === 0) return null;
  return (
    <ul
      aria-label={t("invited.label")}
      aria-live="polite"
      className="flex max-h-20 flex-wrap justify-center gap-2 overflow-y-auto"
    >
      {people.map(([userId, state]) => (
        <InvitedPerson key={userId} userId={userId} groupId={groupId} state={state} />
      ))}
    </ul>
  );
}

interface InvitedPersonProps {
  userId: string;
  groupId: string | null;
  state: InvitedState;
}

function InvitedPerson({ userId, groupId, state }: InvitedPersonProps) {
  const { t } = useTranslation("calls");
  const { name, avatarUrl } = usePerson(userId, groupId);
  return (
    <li className="flex min-w-0 items-center gap-2 rounded-full bg-selected py-1 ps-1 pe-3 text-sm">
      <Avatar name={name} id={userId} src={avatarUrl} size={24} />
      <span className="truncate font-medium">{name}</span>
      <span className="shrink-0 text-muted">{t(`invited.${state}`)}</span>
    </li>
  );
}

function MoreMenu({ channel }: { channel: Channel }) {
  const { t } = useTranslation("calls");
  const call = useCall();
  const [, navigate] = useLocation();
  const { id: channelId, groupId, memberIds } = channel;
  const count = useOngoingCall(channelId)?.participantCount ?? 0;
  const canManage = useCanInChannel(channel, "manageChannels");
  const ring = async () => {
    await call("call.ring", { channelId });
    showToast({ text: t("ringing"), tone: "good" });
  };
  const end = () =>
    openConfirm({
      danger: true,
      title: t("end.title"),
      children: t("end.text"),
      action: t("end.action"),
      onConfirm: () => call("call.end", { channelId }),
    });
  return (
    <Menu
      side="top"
      trigger={<IconButton icon={Ellipsis} label={t("more")} />}
      items={[
        groupId === null &&
          count < memberIds.length && {
            label: t("ringAgain"),
            icon: BellRing,
            onSelect: () => void ring().catch(showFailure),
          },
        { label: t("deviceSettings"), icon: Settings, onSelect: () => navigate(settingsPath("calls")) },
        (groupId === null || canManage) && {
          label: t("end.action"),
          icon: PhoneOff,
          danger: true,
          onSelect: end,
        },
      ]}
    />
  );
}

/** Browsers play no sound on pages that the user hasn't clicked yet. */
function SoundBlocked({ current: { isSoundBlocked, session } }: { current: CurrentCall }) {
  const { t } = useTranslation("calls");
  if (!isSoundBlocked || session === null) return null;
  return (
    <Button
      variant="primary"
      icon={VolumeX}
      className="mx-auto"
      onClick={() => void session.startSound().catch(showFailure)}
    >
      {t("startSound")}
    </Button>
  );
}

function Pictures({ room, channel }: { room: Room; channel: Channel }) {
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
