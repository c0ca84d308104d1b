import { useTranslation } from "react-i18next";
import { DeviceFields, MicrophoneSwitches } from "../../calls/device-fields.tsx";
import { Section } from "../section.tsx";

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
