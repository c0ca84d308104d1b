import { useBranding } from "../../session/branding.ts";
import { CircleAlert } from "lucide-react";
import { Component, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import { EmptyState, Spinner } from "../../ui/feedback.tsx";
import { Main } from "../../ui/main.tsx";

interface PageErrorBoundaryProps {
  /** The address; when it changes, rendering is retried. */
  place: string;
  children: ReactNode;
}

interface PageErrorState {
  place: string;
  failed: boolean;
}

/** Contains render errors and failed chunk loads of a page. */
export class PageErrorBoundary extends Component<PageErrorBoundaryProps, PageErrorState> {
  override state: PageErrorState = { place: this.props.place, failed: false };

  static getDerivedStateFromError(): Partial<PageErrorState> {
    return { failed: true };
  }

  static getDerivedStateFromProps(
    { place }: PageErrorBoundaryProps,
    state: PageErrorState,
  ): PageErrorState | null {
    return place === state.place ? null : { place, failed: false };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override render(): ReactNode {
    return this.state.failed ? <Failed /> : this.props.children;
  }
}

function Failed() {
  const { t } = useTranslation("ui");
  return (
    <EmptyState
      icon={CircleAlert}
      title={t("pageFailed")}
      text={t("pageFailedText")}
      action={
        <Button variant="primary" onClick={() => location.reload()}>
          {t("reload")}
        </Button>
      }
    />
  );
}

/** Its only text is hidden. In the page's font, that text would load the font before the application. */
export function Splash() {
  const { t } = useTranslation("ui");
  const { logoUrl } = useBranding();
  return (
    <Main className="flex min-h-0 flex-1 flex-col font-[system-ui]">
      <div className="m-auto grid justify-items-center gap-4 text-muted">
        <img src={logoUrl ?? "/favicon.svg"} alt="" width="56" height="56" className="rounded-md" />
        <Spinner label={t("starting")} />
      </div>
    </Main>
  );
}
