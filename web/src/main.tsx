import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, firstLoaded } from "./app/app.tsx";
import { chooseLanguage } from "./i18n/language.ts";
import { startI18n } from "./i18n/set-up.ts";
import { startServiceWorker, UpdatePrompt } from "./app/updates.tsx";
import { applyBranding } from "./session/branding.ts";
import { pause } from "./shared/pause.ts";
import { usePreferences } from "./state/preferences.ts";
import { UiProvider } from "./ui/ui-provider.tsx";
import "./styles/theme.css";
import "./styles/base.css";

// Hides the keys of input methods (Japanese, Chinese, …), such as the Enter that selects a candidate: in WebKit, it comes
// after the end of the composition, with this code.
document.addEventListener(
  "keydown",
  (event) => (event.isComposing || event.keyCode === 229) && event.stopPropagation(),
  true,
);
// By default, the browser opens a dropped file in place of the page, which would end a call.
for (const name of ["dragover", "drop"] as const)
  addEventListener(name, (event) => {
    const { dataTransfer, defaultPrevented: isAccepted } = event;
    if (isAccepted || !dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    dataTransfer.dropEffect = "none";
  });
/** Until something is rendered, the page shows its logo (styles/base.css). */
const RENDER_AFTER_MS = 1000;

applyBranding();
await startI18n(chooseLanguage(usePreferences.getState().language, navigator.languages));
// Stored files load so fast that rendering a placeholder for them would only take time.
if (navigator.serviceWorker?.controller)
  await Promise.race([firstLoaded.catch(() => {}), pause(RENDER_AFTER_MS)]);
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <UiProvider>
      <App />
      <UpdatePrompt />
    </UiProvider>
  </StrictMode>,
);
startServiceWorker();
