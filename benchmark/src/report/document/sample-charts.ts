import type { ServerSample } from "../../measure/server-samples.ts";
import { lineChart } from "../charts/line-chart.ts";
import type { Colour } from "../charts/frame.ts";
import type { Block } from "./document.ts";

interface Series {
  heading: string;
  y: string;
  colour: Colour;
  of: (sample: ServerSample) => number | null;
}

const SERIES: readonly Series[] = [
  {
    heading: "Deliveries per second",
    y: "deliveries/s",
    colour: "one",
    of: (sample) => sample.deliveriesPerSecond,
  },
  { heading: "Server CPU", y: "cores", colour: "two", of: (sample) => sample.cpuCores },
  {
    heading: "Server memory (RSS)",
    y: "MiB",
    colour: "four",
    of: ({ rssBytes }) => (rssBytes === null ? null : rssBytes / 1024 / 1024),
  },
  {
    heading: "Longest event-loop delay of the server",
    y: "ms",
    colour: "three",
    of: (sample) => sample.eventLoopMaxMs,
  },
];

/** The server's load during the run; empty without samples. */
export function sampleCharts(samples: readonly ServerSample[]): Block[] {
  return SERIES.flatMap(({ heading, y, colour, of }): Block[] => {
    const points = samples.map((sample) => ({ x: sample.atMs / 1000, y: of(sample) }));
    if (points.filter((point) => point.y !== null).length < 2) return [];
    const svg = lineChart({
      description: `${heading} over the run`,
      x: "seconds since the receivers were connected",
      y,
      lines: [{ name: heading, colour, points }],
      height: 190,
    });
    return [{ kind: "chart", heading, svg }];
  });
}
