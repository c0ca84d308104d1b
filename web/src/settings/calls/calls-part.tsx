import { useTranslation } from "react-i18next";
import { useState } from "react";
import { DeviceFields } from "../../calls/device-fields.tsx";
import { Section } from "../../ui/settings-layout.tsx";
import { Button } from "../../ui/button.tsx";
import { Switch } from "../../ui/choices.tsx";
import { useCallSettings, setCallSettings } from "../../calls/call-settings.ts";
import { keyName } from "../../calls/push-to-talk.ts";

/** The devices of this browser. Each choice applies at once, also to an ongoing call. */
export function CallsPart() {
  const { t } = useTranslation("calls");
  return (
    <>
      <Section title={t("settings.devices")} text={t("settings.devicesText")}>
        <div className="max-w-md">
          <DeviceFields />
        </div>
      </Section>
      <Section title={t("device.microphone")}>
        <MicrophoneSwitches />
      </Section>
    </>
  );
}

/** How the microphone is used. */
function MicrophoneSwitches() {
  const { t } = useTranslation("calls");
  const { echoCancellation, noiseSuppression, autoGainControl, pushToTalk } = useCallSettings();
  return (
    <div className="grid gap-4">
      <Switch
        label={t("settings.noise")}
        hint={t("settings.noiseHint")}
        checked={noiseSuppression}
        onChange={(isOn) => setCallSettings({ noiseSuppression: isOn })}
      />
      <Switch
        label={t("settings.echo")}
        hint={t("settings.echoHint")}
        checked={echoCancellation}
        onChange={(isOn) => setCallSettings({ echoCancellation: isOn })}
      />
      <Switch
        label={t("settings.gain")}
        hint={t("settings.gainHint")}
        checked={autoGainControl}
        onChange={(isOn) => setCallSettings({ autoGainControl: isOn })}
      />
      <Switch
        label={t("settings.pushToTalk")}
        hint={t("settings.pushToTalkHint")}
        checked={pushToTalk}
        onChange={(isOn) => setCallSettings({ pushToTalk: isOn })}
      />
      {pushToTalk && <KeyField />}
    </div>
  );
}

/** The next key that is pressed becomes the one for push-to-talk. */
function KeyField() {
  const { t } = useTranslation("calls");
  const key = useCallSettings(({ pushToTalkKey }) => pushToTalkKey);
  const [isListening, setListening] = useState(false);
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <span className="font-medium">{t("settings.key")}</span>
      <Button
        size="sm"
        aria-pressed={isListening}
        aria-label={isListening ? t("settings.pressKey") : t("settings.changeKey", { key: keyName(key) })}
        onClick={() => setListening(true)}
        onBlur={() => setListening(false)}
        onKeyDown={(event) => {
          if (!isListening || event.key === "Tab") return;
          event.preventDefault();
          event.stopPropagation();
          setListening(false);
          if (event.key !== "Escape") setCallSettings({ pushToTalkKey: event.code });
        }}
      >
        {isListening ? t("settings.pressKey") : keyName(key)}
      </Button>
    </div>
  );
}
