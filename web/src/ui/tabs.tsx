import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

export interface Tab<V extends string> {
  value: V;
  label: ReactNode;
  content: ReactNode;
}

interface TabsProps<V extends string> {
  label: string;
  tabs: readonly Tab<V>[];
  value: V;
  onChange: (value: V) => void;
}

export function Tabs<V extends string>({ label, tabs, value, onChange }: TabsProps<V>) {
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(next as V)} className="flex min-h-0 flex-col">
      <Base.List aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="min-h-control shrink-0 border-b-2 border-transparent px-3 text-sm font-medium text-muted -outline-offset-2 hover:text-text data-active:border-accent data-active:text-text"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="min-h-0 pt-3 -outline-offset-2">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
