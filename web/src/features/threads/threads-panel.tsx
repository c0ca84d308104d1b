import type { Channel } from "@fanfare/contract";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Tabs } from "../../ui/tabs.tsx";
import { SidePanel } from "../shell/side-panel.tsx";
import { ThreadList } from "./thread-list.tsx";

/** The threads of a channel, at its right. */
export function ThreadsPanel({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("threads");
  const [tab, setTab] = useState<"active" | "archived">("active");
  return (
    <SidePanel title={t("panel")} onClose={onClose}>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto p-2">
        <Tabs
          label={t("panel")}
          value={tab}
          onChange={setTab}
          tabs={[
            {
              value: "active",
              label: t("active"),
              content: <ThreadList channel={channel} archived={false} />,
            },
            {
              value: "archived",
              label: t("archivedTab"),
              content: <ThreadList channel={channel} archived />,
            },
          ]}
        />
      </div>
    </SidePanel>
  );
}
