import { ImagePlus, type LucideIcon } from "lucide-react";
import { type ReactNode, useEffect, useId, useMemo } from "react";
import { buttonClass } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";

const PICTURES = "image/png,image/jpeg,image/webp,image/gif,image/avif";

interface FileInputProps {
  icon: LucideIcon;
  /** The button's label. */
  children: ReactNode;
  button: Parameters<typeof buttonClass>[0];
  /** Types and endings of files. */
  accept: string;
  onChoose: (file: File, ...more: File[]) => void;
  /** Whether several can be chosen. */
  multiple?: boolean;
  disabled?: boolean | undefined;
}

/** A button that chooses files. */
export function FileInput({ icon: Icon, children, button, onChoose, ...input }: FileInputProps) {
  const id = useId();
  return (
    <>
      <input
        id={id}
        type="file"
        className="peer sr-only"
        onChange={({ target }) => {
          const [chosen, ...more] = target.files ?? [];
          if (chosen !== undefined) onChoose(chosen, ...more);
          // Allows choosing the same file again after an error.
          target.value = "";
        }}
        {...input}
      />
      <label
        htmlFor={id}
        className={cx(
          buttonClass(button),
          "cursor-pointer peer-focus-visible:outline-2 peer-focus-visible:outline-focus peer-disabled:opacity-50",
        )}
      >
        <Icon size={16} aria-hidden />
        {children}
      </label>
    </>
  );
}

interface PictureInputProps extends Pick<FileInputProps, "children" | "onChoose" | "multiple" | "disabled"> {
  /** Types besides pictures. */
  alsoAccept?: string;
}

export function PictureInput({ alsoAccept, ...input }: PictureInputProps) {
  const accept = [PICTURES, alsoAccept].join();
  return <FileInput icon={ImagePlus} button={{ size: "sm" }} accept={accept} {...input} />;
}

/** A preview URL for a file that isn't uploaded yet. */
export function useObjectUrl(file: File | null): string | null {
  const url = useMemo(() => (file === null ? null : URL.createObjectURL(file)), [file]);
  useEffect(() => (url === null ? undefined : () => URL.revokeObjectURL(url)), [url]);
  return url;
}
