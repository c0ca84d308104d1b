import { CloudOff, RefreshCw, WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Spinner } from "../../ui/spinner.tsx";
import { useClient } from "../session/client-context.ts";
import { type Connection, useConnection } from "./use-connection.ts";

/** A connection that is back sooner is not worth a banner. */
const SHOW_AFTER_MS = 700;

/** Says so when what is shown may not be live: why, since when, and what happens with what is written. */
export function ConnectionBanner() {
  const connection = useConnection(useClient());
  const lostForMs = useElapsed(connection.lostAtMs);
  const shown = connection.draining || lostForMs >= SHOW_AFTER_MS;
  return (
    <div role="status">
      {shown && (
        <div className="flex min-h-9 items-center justify-center gap-2.5 bg-warn-soft px-4 py-1 text-sm text-warn-text">
          <Text connection={connection} seconds={Math.floor(lostForMs / 1000)} />
        </div>
      )}
    </div>
  );
}

function Text({ connection, seconds }: { connection: Connection; seconds: number }) {
  const { t } = useTranslation("shell");
  const { state, noNetwork, draining } = connection;
  if (draining) {
    return (
      <>
        <RefreshCw size={16} aria-hidden className="shrink-0" />
        <p>{t("draining")}</p>
      </>
    );
  }
  if (noNetwork) {
    return (
      <>
        <WifiOff size={16} aria-hidden className="shrink-0" />
        <p>{t("noNetwork")}</p>
      </>
    );
  }
  if (state === "offline" || state === "closed") {
    return (
      <>
        <CloudOff size={16} aria-hidden className="shrink-0" />
        <p>{t("offline")}</p>
      </>
    );
  }
  return (
    <>
      <Spinner size={16} />
      <p>
        {state === "connecting" ? t("connecting") : t("reconnecting")}{" "}
        {/* Read out once, not every second. */}
        <span aria-hidden className="tabular-nums">
          {seconds >= 3 && t("since", { count: seconds })}
        </span>
      </p>
    </>
  );
}

/** Milliseconds since then, counted on while it is not null. */
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
