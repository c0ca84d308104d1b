import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import type { ReactNode } from "react";
import { Toasts } from "./toast.tsx";
import { useLongPress } from "./use-long-press.ts";

/** What the primitives need around the application: no <style> elements (content policy), shared tooltips, toasts, long presses. */
export function UiProvider({ children }: { children: ReactNode }) {
  useLongPress();
  return (
    <CSPProvider disableStyleElements>
      <Tooltip.Provider delay={400} closeDelay={100}>
        <Toasts>{children}</Toasts>
      </Tooltip.Provider>
    </CSPProvider>
  );
}
