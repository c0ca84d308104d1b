import { capacityDocument } from "../../capacity/capacity-document.ts";
import { nodesDocument } from "../../cluster-nodes/nodes-document.ts";
import type { Result } from "../result.ts";
import { broadcastDocument } from "./broadcast-document.ts";
import { clusterDocument, limitsDocument } from "./comparison-document.ts";
import type { Document } from "./document.ts";
import { overloadDocument, stormDocument } from "./storm-document.ts";
import { isLoad } from "../observations.ts";
import { loadDocument } from "./load-document.ts";
import { plainDocument } from "./plain-document.ts";
import { sweepDocument } from "./sweep-document.ts";

export function documentOf(result: Result): Document {
  switch (result.command) {
    case "broadcast":
      return broadcastDocument(result);
    case "limits":
      return limitsDocument(result);
    case "sweep":
      return sweepDocument(result);
    case "cluster":
      return clusterDocument(result);
    case "cluster-nodes":
      return nodesDocument(result);
    case "storm":
      return stormDocument(result);
    case "overload":
      return overloadDocument(result);
    case "capacity":
      return capacityDocument(result);
    default:
      return isLoad(result) ? loadDocument(`bench ${result.command}`, result) : plainDocument(result);
  }
}
