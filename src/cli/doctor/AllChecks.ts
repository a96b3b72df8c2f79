/** Every check of `./sweep doctor`, in the order of its output. A new check is a file in `check/`, and one line here. */
import type { Check } from "./Check.ts"
import { addresses } from "./check/Addresses.ts"
import { alerts } from "./check/Alerts.ts"
import { contracts } from "./check/Contracts.ts"
import { database } from "./check/Database.ts"
import { endpoints } from "./check/Endpoints.ts"
import { feeRecipient } from "./check/FeeRecipient.ts"
import { lanes } from "./check/Lanes.ts"
import { oracle } from "./check/Oracle.ts"
import { pauses } from "./check/Pauses.ts"
import { peers } from "./check/Peers.ts"
import { providers } from "./check/Providers.ts"
import { redis } from "./check/Redis.ts"
import { roles } from "./check/Roles.ts"
import { sanctionsList } from "./check/SanctionsList.ts"
import { settings } from "./check/Settings.ts"
import { targets } from "./check/Targets.ts"

export const checks: ReadonlyArray<Check> = [
  settings,
  pauses,
  database,
  redis,
  endpoints,
  contracts,
  targets,
  lanes,
  feeRecipient,
  oracle,
  sanctionsList,
  providers,
  addresses,
  roles,
  peers,
  alerts
]
