import { ImagePlus } from "lucide-react";
import { type ReactNode, useEffect, useId, useMemo } from "react";
import { buttonClass } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";

const PICTURES = "image/png,image/jpeg,image/webp,image/gif,image/avif";

interface PictureInputProps {
  /** The button's label. */
  children: ReactNode;
  onChoose: (file: File, ...more: File[]) => void;
  /** Whether several can be chosen. */
  multiple?: boolean;
  /** Types besides pictures. */
  alsoAccept?: string;
  disabled?: boolean | undefined;
}

export function PictureInput({ children, onChoose, multiple, alsoAccept, disabled }: PictureInputProps) {
  const id = useId();
  return (
    <>
      <input
        id={id}
        type="file"
        accept={[PICTURES, alsoAccept].join()}
        multiple={multiple}
        disabled={disabled}
        className="peer sr-only"
        onChange={({ target }) => {
          const [chosen, ...more] = target.files ?? [];
          if (chosen !== undefined) onChoose(chosen, ...more);
          // Allows choosing the same file again after an error.
          target.value = "";
        }}
      />
      <label
        htmlFor={id}
        className={cx(
          buttonClass({ size: "sm" }),
          "cursor-pointer peer-focus-visible:outline-2 peer-focus-visible:outline-focus peer-disabled:opacity-50",
        )}
      >
        <ImagePlus size={16} aria-hidden />
        {children}
      </label>
    </>
  );
}

/** A preview URL for a file that isn't uploaded yet. */
export function useObjectUrl(file: File | null): string | null {
  const url = useMemo(() => (file === null ? null : URL.createObjectURL(file)), [file]);
  useEffect(() => (url === null ? undefined : () => URL.revokeObjectURL(url)), [url]);
  return url;
}
