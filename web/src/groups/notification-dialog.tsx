import type { Params } from "@fanfare/contract";
import { BellOff } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { type Place, useNotificationSetting } from "../data/inbox.ts";
import { useSave } from "../shared/use-action.ts";
import { TimeDialog } from "../shared/time-dialog.tsx";
import { formatTime } from "../shared/times.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { RadioGroup, Switch } from "../ui/choices.tsx";
import { isMutedForever, isMutedNow, MUTE_TIMES } from "./channels/mute.ts";
import { useNow } from "../shared/hooks.ts";

interface NotificationDialogProps {
  place: Place;
  name: string;
  onClose: () => void;
}

type Level = "default" | "all" | "mentions" | "nothing";

/** Notification level and mute for a group or channel. Each choice is saved at once. */
export function NotificationDialog({ place, name, onClose }: NotificationDialogProps) {
  const { t } = useTranslation("groups");
  const setting = useNotificationSetting(place);
  const call = useCall();
  const { error, save } = useSave();
  const now = useNow();
  const [isChoosingTime, setChoosingTime] = useState(false);
  const isChannel = "channelId" in place;
  const change = (changes: Omit<Params<"notification.set">, "groupId" | "channelId">) =>
    save(() => call("notification.set", { ...place, ...changes }));
  const until = isMutedNow(setting, now) ? setting!.mutedUntil! : null;
  const level: Level = setting?.level ?? (isChannel ? "default" : "mentions");
  const levels: Level[] = isChannel
    ? ["default", "all", "mentions", "nothing"]
    : ["all", "mentions", "nothing"];
  return (
    <Dialog onClose={onClose} title={t("notifications.title", { name })}>
      <RadioGroup
        label={t("notifications.level")}
        value={level}
        onChange={(next) => change({ level: next === "default" ? null : next })}
        options={levels.map((value) => ({ value, label: t(`notifications.${value}`) }))}
      />
      {!isChannel && (
        <Switch
          label={t("notifications.suppressEveryone")}
          hint={t("notifications.suppressEveryoneHint")}
          checked={setting?.suppressEveryone ?? false}
          onChange={(suppressEveryone) => change({ suppressEveryone })}
        />
      )}
      <section className="grid gap-2">
        <h3 className="text-sm font-medium">{t("notifications.mute")}</h3>
        {until === null ? (
          <div className="flex flex-wrap gap-2">
            {MUTE_TIMES.map(({ id, until: untilOf, textKey }) => (
              <Button key={id} size="sm" onClick={() => change({ mutedUntil: untilOf(new Date()) })}>
                {t(textKey)}
              </Button>
            ))}
            <Button size="sm" onClick={() => setChoosingTime(true)}>
              {t("notifications.otherTime")}
            </Button>
          </div>
        ) : (
          <div className="flex flex-wrap items-center gap-3">
            <p className="flex items-center gap-2 text-muted">
              <BellOff size={16} aria-hidden />
              {isMutedForever(until)
                ? t("notifications.mutedForever")
                : t("notifications.mutedUntil", {
                    time: formatTime(until, "dateTime"),
                  })}
            </p>
            <Button size="sm" onClick={() => change({ mutedUntil: null })}>
              {t("notifications.unmute")}
            </Button>
          </div>
        )}
      </section>
      <ErrorNote text={error} />
      {isChoosingTime && (
        <TimeDialog
          title={t("notifications.muteUntil")}
          action={t("notifications.muteAction")}
          onPick={(time) => call("notification.set", { ...place, mutedUntil: time.toISOString() })}
          onClose={() => setChoosingTime(false)}
        />
      )}
    </Dialog>
  );
}
