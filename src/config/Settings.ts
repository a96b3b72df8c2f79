/** Every setting, in the order in which `./sweep settings` and the reference list them. */
import { builder } from "./Builder.ts"
import { chains } from "./Chains.ts"
import { common } from "./Common.ts"
import { deployment } from "./Deployment.ts"
import { mcp } from "./Mcp.ts"
import { orchestrator } from "./Orchestrator.ts"
import { payouts } from "./Payouts.ts"
import type { Documented } from "./Setting.ts"
import { wallet } from "./Wallet.ts"

export const documented: ReadonlyArray<{ readonly group: string; readonly settings: ReadonlyArray<Documented> }> = [
  { group: "All services", settings: Object.values(common) },
  { group: "Chains, for all services", settings: Object.values(chains) },
  { group: "Orchestrator", settings: Object.values(orchestrator) },
  { group: "Builder backend", settings: Object.values(builder) },
  { group: "MCP server", settings: Object.values(mcp) },
  { group: "Deployment", settings: Object.values(deployment) },
  { group: "Payouts", settings: Object.values(payouts) },
  { group: "Sweeps from the command line", settings: Object.values(wallet) }
]
