import type { Params } from "@fanfare/contract";
import { BellRing } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSessions } from "../../data/me.ts";
import { useCall } from "../../data/call.ts";
import { useServerCache } from "../../data/data-context.ts";
import { usePushKey, usePushSubscriptions } from "../../data/inbox.ts";
import { ErrorWithText, useAction } from "../../shared/use-action.ts";
import { formatTime } from "../../shared/times.ts";
import { Badge } from "../../ui/display.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { Switch } from "../../ui/choices.tsx";
import { Section } from "../section.tsx";
import { useDeviceName } from "../security/device.ts";
import { requestNotificationPermission } from "./permission.ts";

/** On the first visit, the service worker is still being installed. */
const WORKER_WITHIN_MS = 5000;

/** Push notifications are set up per device. */
export function PushSection() {
  const { t } = useTranslation("settings");
  const { client } = useServerCache();
  const call = useCall();
  const { data: publicKey } = usePushKey();
  const { data: subscriptions = [], refetch } = usePushSubscriptions();
  const { data: sessions = [] } = useSessions();
  const worker = usePushWorker();
  const deviceName = useDeviceName();
  const { error, run } = useAction();
  const ownId = client.tokens?.sessionId;
  const isOn = subscriptions.some(({ sessionId }) => sessionId === ownId);
  const turnOn = async () => {
    if ((await requestNotificationPermission()) !== "granted") throw new ErrorWithText(t("notify.denied"));
    await call("push.subscribe", await subscribeDevice(worker!, publicKey!));
  };
  const turnOff = async () => {
    const endpoint = await unsubscribeDevice(worker!);
    if (endpoint !== null) await call("push.unsubscribe", { endpoint });
    else await refetch();
  };
  const change = (wanted: boolean) =>
    (wanted ? turnOn() : turnOff()).catch((failure: unknown) => {
      // Failures of the browser or its push service have no error code of the contract.
      throw failure instanceof DOMException
        ? new ErrorWithText(t("push.failed"), { cause: failure })
        : failure;
    });
  return (
    <Section title={t("push.title")} text={t("push.text")}>
      {worker === null ? (
        <p className="rounded-md bg-hover px-3 py-2 text-sm text-muted">{t("push.unsupported")}</p>
      ) : (
        <Switch
          label={t("push.thisDevice")}
          checked={isOn}
          disabled={publicKey === undefined || worker === undefined}
          onChange={(wanted) => void run(() => change(wanted))}
        />
      )}
      <ErrorNote text={error} />
      {subscriptions.length > 0 && (
        <>
          <ul aria-label={t("push.devices")} className="grid gap-px">
            {subscriptions.map(({ sessionId, createdAt }) => (
              <ListRow
                key={sessionId}
                leading={<BellRing size={18} aria-hidden className="text-muted" />}
                title={deviceName(sessions.find(({ id }) => id === sessionId)?.userAgent ?? null)}
                subtitle={t("push.since", { date: formatTime(createdAt, "date") })}
                trailing={
                  sessionId === ownId ? <Badge tone="good">{t("sessions.current")}</Badge> : undefined
                }
              />
            ))}
          </ul>
          <p className="text-sm text-muted">{t("push.elsewhere")}</p>
        </>
      )}
    </Section>
  );
}

/** undefined while loading. */
function usePushWorker(): ServiceWorkerRegistration | null | undefined {
  const [worker, setWorker] = useState<ServiceWorkerRegistration | null>();
  useEffect(() => {
    void pushWorker().then(setWorker);
  }, []);
  return worker;
}

/** The service worker that shows push notifications; null if the browser or address doesn't support them. */
async function pushWorker(): Promise<ServiceWorkerRegistration | null> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return null;
  const none = new Promise<null>((resolve) => setTimeout(() => resolve(null), WORKER_WITHIN_MS));
  return Promise.race([navigator.serviceWorker.ready, none]);
}

/**
 * Subscribes this browser to push notifications with the server's key.
 * @throws {DOMException} if the browser refuses or its push service can't be reached
 */
async function subscribeDevice(
  { pushManager }: ServiceWorkerRegistration,
  publicKey: string,
): Promise<Params<"push.subscribe">> {
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  let subscription: PushSubscription;
  try {
    subscription = await pushManager.subscribe(options);
  } catch (failure) {
    const former = await pushManager.getSubscription();
    if (former === null) throw failure;
    // The subscription used another key.
    await former.unsubscribe();
    subscription = await pushManager.subscribe(options);
  }
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint: endpoint!, keys: { p256dh: keys!["p256dh"]!, auth: keys!["auth"]! } };
}

/** Unsubscribes this browser. Returns the former endpoint, or null. */
async function unsubscribeDevice({ pushManager }: ServiceWorkerRegistration): Promise<string | null> {
  const subscription = await pushManager.getSubscription();
  await subscription?.unsubscribe();
  return subscription?.endpoint ?? null;
}
