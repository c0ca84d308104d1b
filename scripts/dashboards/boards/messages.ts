import type { Board } from "../dashboard.ts";
import { quantiles, rate, rateBy } from "../durations.ts";

export const messages: Board = {
  name: "messages",
  title: "Messages and fan-out",
  description:
    "A message on its way: it waits, is stored in a batch, published, and written to every socket.",
  sections: [
    {
      title: "Storing",
      charts: [
        {
          kind: "timeseries",
          title: "Messages stored",
          description: "By worker, in a second. What is acknowledged is on disk.",
          unit: "mps",
          stacked: true,
          queries: [rateBy("fanfare_messages_stored_total", "instance")],
        },
        {
          kind: "timeseries",
          title: "Time of a write",
          description: "From the reading of the heads until all is on disk.",
          unit: "s",
          queries: quantiles("fanfare_message_commit_seconds"),
          steps: [{ from: 0.5, color: "red" }],
          runbooks: ["FanfareMessagesSlow"],
        },
        {
          kind: "timeseries",
          title: "Messages in one write",
          description: "Under load messages of a channel are written together: that is how it keeps up.",
          queries: [
            {
              expr: "sum(rate(fanfare_message_batch_size_sum{S}[$__rate_interval])) / sum(rate(fanfare_message_batch_size_count{S}[$__rate_interval]))",
              legend: "mean",
            },
            ...quantiles("fanfare_message_batch_size", [0.95]),
          ],
        },
        {
          kind: "timeseries",
          title: "Waiting to be written",
          description: "Messages and changes in the queues of each worker. A full queue answers OVERLOADED.",
          queries: [{ expr: "fanfare_messages_waiting{S}", legend: "{{instance}}" }],
          runbooks: ["FanfareOverloaded"],
        },
        {
          kind: "timeseries",
          title: "Time to answer message.send",
          description: "What a sender waits: everything here, and the way between the processes.",
          unit: "s",
          queries: [0.5, 0.95, 0.99].map((quantile) => ({
            expr: `histogram_quantile(${quantile}, sum by (le) (rate(fanfare_request_seconds_bucket{S,action="message.send"}[$__rate_interval])))`,
            legend: `p${quantile * 100}`,
          })),
        },
        {
          kind: "timeseries",
          title: "message.send refused",
          description: "By code, in a second.",
          queries: [
            rate("fanfare_requests_total", "all", 'action="message.send",outcome!="ok"'),
            rateBy("fanfare_requests_total", "outcome", 'action="message.send",outcome!="ok"'),
          ],
        },
      ],
    },
    {
      title: "Fan-out",
      charts: [
        {
          kind: "timeseries",
          title: "From a publication to its last socket",
          description:
            "p100 is the slowest publication of the last minute and of all gateways, measured, not estimated. The bounds of a histogram's quantiles are its buckets.",
          unit: "s",
          width: 12,
          queries: [
            ...quantiles("fanfare_fanout_seconds", [0.5, 0.99, 0.999]),
            { expr: "max(fanfare_fanout_max_seconds{S})", legend: "p100" },
          ],
          steps: [{ from: 1, color: "red" }],
          runbooks: ["FanfareFanoutSlow"],
        },
        {
          kind: "heatmap",
          title: "Publications by time to their last socket",
          description: "How many took how long.",
          width: 12,
          queries: [
            {
              expr: "sum by (le) (increase(fanfare_fanout_seconds_bucket{S}[$__rate_interval]))",
              legend: "{{le}}",
            },
          ],
        },
        {
          kind: "timeseries",
          title: "p100 by gateway",
          description:
            "One slow gateway is a gateway's trouble; all of them at once, that of the bus or of a worker.",
          unit: "s",
          queries: [{ expr: "fanfare_fanout_max_seconds{S}", legend: "{{instance}}" }],
          steps: [{ from: 1, color: "red" }],
          runbooks: ["FanfareFanoutSlow"],
        },
        {
          kind: "timeseries",
          title: "Publications and deliveries",
          description: "Publications that gateways had sockets for, and events written to sockets by them.",
          unit: "ops",
          queries: [
            rate("fanfare_fanout_publications_total", "publications"),
            rate("fanfare_fanout_deliveries_total", "deliveries"),
          ],
        },
        {
          kind: "timeseries",
          title: "Sockets per publication",
          description: "What one publication costs is mostly this.",
          queries: [
            {
              expr: "sum(rate(fanfare_fanout_deliveries_total{S}[$__rate_interval])) / sum(rate(fanfare_fanout_publications_total{S}[$__rate_interval]))",
              legend: "mean",
            },
          ],
        },
      ],
    },
    {
      title: "Between processes",
      charts: [
        {
          kind: "timeseries",
          title: "Bus",
          description:
            "Messages for sockets of any gateway: one copy goes to each gateway that has a socket in the room.",
          unit: "ops",
          queries: [
            rate("fanfare_bus_published_total", "published"),
            rate("fanfare_bus_received_total", "received"),
            rate("fanfare_bus_dropped_total", "dropped"),
          ],
          runbooks: ["FanfareBusDropping"],
        },
        {
          kind: "timeseries",
          title: "What came of them",
          description: "'members' went to sockets; much of 'stray' or 'elsewhere' is work for nothing.",
          unit: "ops",
          stacked: true,
          queries: [rateBy("fanfare_bus_received_total", "reception")],
        },
        {
          kind: "timeseries",
          title: "Rooms",
          description: "That each gateway listens to.",
          queries: [{ expr: "fanfare_bus_rooms{S}", legend: "{{instance}}" }],
        },
        {
          kind: "timeseries",
          title: "Presence",
          description: "Changes that were published, each to those who watch the user.",
          unit: "ops",
          queries: [rate("fanfare_presence_published_total", "changes")],
        },
        {
          kind: "timeseries",
          title: "Pushes, mails and callbacks",
          description: "By what became of them, in a second.",
          queries: [
            { ...rateBy("fanfare_pushes_total", "outcome"), legend: "push {{outcome}}" },
            { ...rateBy("fanfare_mails_total", "outcome"), legend: "mail {{outcome}}" },
            { ...rateBy("fanfare_bot_callbacks_total", "outcome"), legend: "callback {{outcome}}" },
          ],
          runbooks: ["FanfareMailFailing", "FanfareJobsFailing", "FanfarePushesDropped"],
        },
        {
          kind: "timeseries",
          title: "Pushes waiting and dead jobs",
          description:
            "At most 2,000 pushes wait in one process, further ones are dropped. Dead jobs failed for good.",
          queries: [
            { expr: "max by (kind) (fanfare_jobs_dead{S})", legend: "dead {{kind}}" },
            { expr: 'max(fanfare_jobs_waiting{S,kind="inbox.push"})', legend: "pushes" },
          ],
          runbooks: ["FanfareMailFailing", "FanfarePushesDropped"],
        },
      ],
    },
  ],
};
