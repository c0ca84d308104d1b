import { type RefObject, useEffect, useRef, useState } from "react";

/** Where files are dropped: beside a field, all of the place that it stands in. */
export interface FileDrop {
  /** The place while files are over it; null else. */
  over: DOMRect | null;
}

/** Takes files that are dropped anywhere in the place of which `anchor` is a part. */
export function useFileDrop(
  anchor: RefObject<HTMLElement | null>,
  onFiles: ((files: File[]) => void) | null,
): FileDrop {
  const [over, setOver] = useState<DOMRect | null>(null);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  const isEnabled = onFiles !== null;
  useEffect(() => {
    const place = anchor.current?.parentElement;
    if (!isEnabled || !place) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    const hear = (name: "dragenter" | "dragover" | "dragleave" | "drop", work: (event: DragEvent) => void) =>
      place.addEventListener(name, (event) => hasFiles(event) && work(event), { signal });
    const enter = (event: DragEvent) => {
      event.preventDefault();
      setOver((now) => now ?? place.getBoundingClientRect());
    };
    hear("dragenter", enter);
    hear("dragover", enter);
    hear("dragleave", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && place.contains(relatedTarget))) setOver(null);
    });
    hear("drop", (event) => {
      event.preventDefault();
      setOver(null);
      latest.current?.(filesOf(event.dataTransfer));
    });
    return () => stop.abort();
  }, [anchor, isEnabled]);
  return { over };
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}

/** The files of what is dropped or pasted, without folders. */
export function filesOf(data: DataTransfer | null): File[] {
  const items = [...(data?.items ?? [])].filter(({ kind }) => kind === "file");
  return items.flatMap((item) =>
    item.webkitGetAsEntry()?.isDirectory === true ? [] : (item.getAsFile() ?? []),
  );
}
