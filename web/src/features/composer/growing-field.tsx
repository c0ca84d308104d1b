import { type ComponentProps, type RefObject, useLayoutEffect } from "react";
import { cx } from "../../ui/cx.ts";

const GROWS = CSS.supports("field-sizing", "content");

interface GrowingFieldProps extends Omit<ComponentProps<"textarea">, "ref"> {
  fieldRef: RefObject<HTMLTextAreaElement | null>;
  value: string;
}

/** A field as high as its text, up to a part of the window. */
export function GrowingField({ fieldRef, className, ...rest }: GrowingFieldProps) {
  useLayoutEffect(() => {
    const { current: element } = fieldRef;
    if (GROWS || element === null) return;
    // Browsers that cannot do it by themselves.
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  });
  return (
    <textarea
      ref={fieldRef}
      rows={1}
      className={cx("field-sizing-content max-h-[40dvh] w-full min-w-0 resize-none", className)}
      {...rest}
    />
  );
}
