import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { chooseLanguage } from "./i18n/language.ts";
import { startI18n } from "./i18n/set-up.ts";
import { startServiceWorker, UpdatePrompt } from "./app/updates.tsx";
import { applyBranding } from "./session/branding.ts";
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
applyBranding();
await startI18n(chooseLanguage(usePreferences.getState().language, navigator.languages));
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <UiProvider>
      <App />
      <UpdatePrompt />
    </UiProvider>
  </StrictMode>,
);
startServiceWorker();
