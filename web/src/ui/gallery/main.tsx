import { createRoot } from "react-dom/client";
import { startI18n } from "../../i18n/set-up.ts";
import { UiProvider } from "../ui-provider.tsx";
import { Gallery } from "./gallery.tsx";
import "../../styles/theme.css";
import "../../styles/base.css";

await startI18n("en");
createRoot(document.getElementById("root")!).render(
  <UiProvider>
    <Gallery />
  </UiProvider>,
);
