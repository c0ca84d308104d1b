import type { Channel } from "@fanfare/contract";
import { Lock, VolumeX } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useFormats } from "../../shared/use-formats.ts";
import { ComposerBox } from "./composer-box.tsx";
import { useComposerState } from "./composer-state.ts";

interface ComposerProps {
  channel: Channel;
  /** How the place is called: "#general", or the name of whom one writes to. */
  title: string;
  /** Whether the focus begins here where there is a keyboard. */
  autoFocus?: boolean;
}

/** Where one writes in a channel, a direct channel or a thread; where one may not, why. Give it the channel's id as its key. */
export function Composer(props: ComposerProps) {
  const { t } = useTranslation("composer");
  const { dateTime } = useFormats();
  const state = useComposerState(props.channel);
  switch (state.kind) {
    case "muted":
      return (
        <Notice icon={<VolumeX size={18} aria-hidden />}>
          {t("state.muted", { time: dateTime(state.untilMs) })}
        </Notice>
      );
    case "readOnly":
      return <Notice icon={<Lock size={18} aria-hidden />}>{t("state.readOnly")}</Notice>;
    case "open":
      return <ComposerBox {...props} />;
  }
}

function Notice({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="shrink-0 px-3 pb-4 md:px-5">
      <p className="flex items-center gap-2.5 rounded-lg border border-line bg-sidebar px-4 py-3 text-muted">
        {icon}
        {children}
      </p>
    </div>
  );
}
