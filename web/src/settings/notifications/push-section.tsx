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
import { Section } from "../../ui/settings-layout.tsx";
import { useDeviceName } from "../security/device.ts";
import { pushWorker, subscribeDevice, unsubscribeDevice } from "./device-push.tsx";
import { requestNotificationPermission } from "../../inbox/notifications/notifier.tsx";

/** Push notifications are set up per device. */
export function PushSection() {
  const { t } = useTranslation("settings");
  const { client } = useServerCache();
  const call = useCall();
  const { data: key } = usePushKey();
  const app = window.fanfareApp?.push;
  const { data: subscriptions = [] } = usePushSubscriptions();
  const { data: sessions = [] } = useSessions();
  const worker = usePushWorker();
  const deviceName = useDeviceName();
  const { error, run } = useAction();
  const ownId = client.tokens?.sessionId;
  const isOn = subscriptions.some(({ sessionId }) => sessionId === ownId);
  const isReached = key === undefined || key.apps?.some((service) => app?.startsWith(service)) === true;
  const isBrowserUnable = app === undefined && worker === null;
  const isAppUnable = app !== undefined && !isReached;
  const turnOn = async () => {
    if (app === undefined && (await requestNotificationPermission()) !== "granted")
      throw new ErrorWithText(t("notify.denied"));
    await subscribeDevice(call, ownId!, key!.publicKey);
  };
  const change = (wanted: boolean): Promise<unknown> =>
    (wanted ? turnOn() : unsubscribeDevice(call)).catch((failure: unknown) => {
      // Failures of the browser or its push service have no error code of the contract.
      throw failure instanceof DOMException
        ? new ErrorWithText(t("push.failed"), { cause: failure })
        : failure;
    });
  return (
    <Section title={t("push.title")} text={t("push.text")}>
      {!isOn && (isBrowserUnable || isAppUnable) ? (
        <p className="rounded-md bg-hover px-3 py-2 text-sm text-muted">
          {isAppUnable ? t("push.unsupportedApp") : t("push.unsupported")}
        </p>
      ) : (
        <Switch
          label={t("push.thisDevice")}
          checked={isOn}
          disabled={key === undefined || (app === undefined && worker === undefined)}
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
