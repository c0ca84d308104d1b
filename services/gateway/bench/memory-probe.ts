// Preloaded into the measured servers: reports the memory usage of the process.
process.on("message", () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ rss, heapUsed, cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1000 });
});
process.channel?.unref();
