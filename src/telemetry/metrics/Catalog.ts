/** All metrics, by the pages of the reference. */
import type { Documented } from "../Family.ts"
import * as Http from "./Http.ts"
import * as Process from "./Process.ts"
import * as Queues from "./Queues.ts"
import * as Quotes from "./Quotes.ts"
import * as Relay from "./Relay.ts"
import * as Sweeps from "./Sweeps.ts"
import * as Upstreams from "./Upstreams.ts"

const isFamily = (value: unknown): value is Documented =>
  typeof value === "object" && value !== null && "name" in value && "kind" in value

const families = (module: Readonly<Record<string, unknown>>): ReadonlyArray<Documented> =>
  Object.values(module).filter(isFamily)

export const groups: ReadonlyArray<{ readonly title: string; readonly families: ReadonlyArray<Documented> }> = [
  { title: "Requests", families: families(Http) },
  { title: "Quotes and submissions", families: families(Quotes) },
  { title: "Sweeps", families: families(Sweeps) },
  { title: "Relayer", families: families(Relay) },
  { title: "Providers and nodes", families: families(Upstreams) },
  { title: "Queues and database", families: families(Queues) },
  { title: "Process", families: families(Process) }
]

export const all: ReadonlyArray<Documented> = groups.flatMap((group) => group.families)
