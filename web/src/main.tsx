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
