/** Every kind of finding, in the order of the reference. A new file of kinds is added here. */
import * as Alerts from "./Alerts.ts"
import * as Checks from "./Checks.ts"
import * as Contracts from "./Contracts.ts"
import * as Database from "./Database.ts"
import * as Endpoints from "./Endpoints.ts"
import * as FeeRecipient from "./FeeRecipient.ts"
import type { Kind } from "./Finding.ts"
import * as Keys from "./Keys.ts"
import * as Lanes from "./Lanes.ts"
import * as Redis from "./Redis.ts"
import * as Roles from "./Roles.ts"
import * as Sanctions from "./Sanctions.ts"
import * as Services from "./Services.ts"
import * as Settings from "./Settings.ts"
import * as Targets from "./Targets.ts"

export interface Group {
  readonly title: string
  readonly kinds: ReadonlyArray<Kind>
}

const group = (title: string, kinds: Readonly<Record<string, Kind>>): Group => ({ title, kinds: Object.values(kinds) })

export const catalogue: ReadonlyArray<Group> = [
  group("Settings", Settings.kinds),
  group("Database", Database.kinds),
  group("Redis", Redis.kinds),
  group("Endpoints and clocks", Endpoints.kinds),
  group("Contracts and addresses", Contracts.kinds),
  group("Swap targets", Targets.kinds),
  group("Keys", Keys.kinds),
  group("Lanes", Lanes.kinds),
  group("Fee recipient", FeeRecipient.kinds),
  group("Roles", Roles.kinds),
  group("Services", Services.kinds),
  group("Sanctions", Sanctions.kinds),
  group("Alerts", Alerts.kinds),
  group("Checks", Checks.kinds)
]
