import { type ReactNode, useId } from "react";

interface SectionProps {
  title: string;
  text?: ReactNode;
  children?: ReactNode;
}

export function Section({ title, text, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid content-start gap-4">
      <header className="grid gap-1">
        <h2 id={id} className="text-lg font-semibold">
          {title}
        </h2>
        {text !== undefined && <p className="text-sm text-muted">{text}</p>}
      </header>
      {children}
    </section>
  );
}
