import type { ConnectionState, FanfareClient } from "@fanfare/client";
import { CloudOff, RefreshCw, WifiOff, X } from "lucide-react";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { useServerCache } from "../../data/data-context.ts";
import { Spinner } from "../../ui/feedback.tsx";
import { cx } from "../../ui/cx.ts";
import { IconButton } from "../../ui/button.tsx";

interface Connection {
  state: ConnectionState;
  /** When the connection was lost or first attempted; null while connected. */
  lostAtMs: number | null;
  /** Whether the browser reports that the device is offline. */
  noNetwork: boolean;
  /** Whether the server is draining; the connection moves to another one by itself. */
  draining: boolean;
  /** Whether this page has been connected. */
  wasOnline: boolean;
}

/** Shorter interruptions don't show the banner. */
const SHOW_AFTER_MS = 700;
/** The first connection is part of loading the page, which the banner would move. */
const SHOW_FIRST_AFTER_MS = 5000;
/** From here on, the elapsed time is shown. */
const COUNT_AFTER_S = 3;

/** Shows that the content may be outdated: why, since when, and what happens to unsent messages. */
export function ConnectionBanner() {
  const connection = useConnection(useServerCache().client);
  const lostForMs = useElapsed(connection.lostAtMs);
  const isLoading = !connection.wasOnline && !connection.noNetwork;
  const showAfterMs = isLoading ? SHOW_FIRST_AFTER_MS : SHOW_AFTER_MS;
  const isShown = connection.draining || lostForMs >= showAfterMs;
  return (
    <Banner isShown={isShown} icon={<Icon connection={connection} />}>
      <BannerText connection={connection} seconds={Math.floor(lostForMs / 1000)} />
    </Banner>
  );
}

type Kind = "draining" | "noNetwork" | "offline" | "connecting" | "reconnecting";

function kindOf({ state, noNetwork, draining }: Connection): Kind {
  if (draining) return "draining";
  if (noNetwork) return "noNetwork";
  if (state === "offline" || state === "closed") return "offline";
  return state === "connecting" ? "connecting" : "reconnecting";
}

const ICONS: Record<Kind, ReactNode> = {
  draining: <RefreshCw size={16} aria-hidden />,
  noNetwork: <WifiOff size={16} aria-hidden />,
  offline: <CloudOff size={16} aria-hidden />,
  connecting: <Spinner size={16} />,
  reconnecting: <Spinner size={16} />,
};

function Icon({ connection }: { connection: Connection }) {
  return ICONS[kindOf(connection)];
}

function BannerText({ connection, seconds }: { connection: Connection; seconds: number }) {
  const { t } = useTranslation("shell");
  const kind = kindOf(connection);
  const counts = (kind === "connecting" || kind === "reconnecting") && seconds >= COUNT_AFTER_S;
  return (
    <>
      {t(`connection.${kind}`)}
      {/* Announced once by screen readers, not every second. */}
      {counts && (
        <span aria-hidden className="tabular-nums">
          {" "}
          {t("elapsed", { count: seconds })}
        </span>
      )}
    </>
  );
}

function useElapsed(sinceMs: number | null): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (sinceMs === null) return undefined;
    const count = () => setNowMs(Date.now());
    const first = setTimeout(count, SHOW_AFTER_MS);
    const timer = setInterval(count, 1000);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [sinceMs]);
  return sinceMs === null ? 0 : Math.max(0, nowMs - sinceMs);
}

function useConnection(client: FanfareClient): Connection {
  const [watch] = useState(() => watchConnection(client));
  return useSyncExternalStore(watch.subscribe, watch.get);
}

function watchConnection(client: FanfareClient) {
  let connection: Connection = {
    state: "offline",
    lostAtMs: null,
    noNetwork: false,
    draining: false,
    wasOnline: false,
  };
  const look = (draining: boolean): void => {
    const { state } = client;
    const lostAtMs = state === "online" ? null : (connection.lostAtMs ?? Date.now());
    connection = {
      state,
      lostAtMs,
      noNetwork: !navigator.onLine,
      draining: draining && state === "online",
      wasOnline: connection.wasOnline || state === "online",
    };
  };
  look(false);
  return {
    get: () => connection,
    subscribe: (onChange: () => void): (() => void) => {
      const lookAgain = (draining = connection.draining) => {
        look(draining);
        onChange();
      };
      const network = () => lookAgain();
      // The state may have changed before the subscription.
      look(connection.draining);
      const ends = [
        client.on("connection.changed", () => lookAgain()),
        client.on("server.draining", () => lookAgain(true)),
        client.on("ready", () => lookAgain(false)),
      ];
      addEventListener("online", network);
      addEventListener("offline", network);
      return () => {
        for (const end of ends) end();
        removeEventListener("online", network);
        removeEventListener("offline", network);
      };
    },
  };
}

interface BannerProps {
  isShown: boolean;
  icon: ReactNode;
  tone?: "warn" | "accent";
  onDismiss?: () => void;
  children: ReactNode;
}

/** The live region exists before its text; otherwise screen readers wouldn't announce it. */
export function Banner({ isShown, icon, tone = "warn", onDismiss, children }: BannerProps) {
  const { t } = useTranslation("shell");
  return (
    <div role="status">
      {isShown && (
        <div
          className={cx(
            "flex min-h-9 items-center justify-center gap-2.5 px-4 py-1 text-sm",
            tone === "warn" ? "bg-warn-soft text-warn-text" : "bg-accent-soft text-accent-text",
          )}
        >
          <span className="flex shrink-0">{icon}</span>
          <p className="wrap-anywhere">{children}</p>
          {onDismiss && (
            <IconButton icon={X} label={t("ui:close")} size="sm" tooltipSide="left" onClick={onDismiss} />
          )}
        </div>
      )}
    </div>
  );
}
