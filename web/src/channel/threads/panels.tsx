import { type ComponentProps, lazy, Suspense } from "react";

const LazyThread = lazy(async () => ({ default: (await import("./thread-panel.tsx")).ThreadPanel }));
const LazyThreads = lazy(async () => ({ default: (await import("./threads-panel.tsx")).ThreadsPanel }));

/** A thread, at the right of its channel; loaded when the first one is opened. Give it the thread's id as its key. */
export function ThreadPanel(props: ComponentProps<typeof LazyThread>) {
  return (
    <Suspense fallback={null}>
      <LazyThread {...props} />
    </Suspense>
  );
}

/** The threads of a channel, at its right. */
export function ThreadsPanel(props: ComponentProps<typeof LazyThreads>) {
  return (
    <Suspense fallback={null}>
      <LazyThreads {...props} />
    </Suspense>
  );
}
