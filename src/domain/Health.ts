/** What `GET /admin/health` and `GET /admin/alerts` answer (spec, "Operator routes"; the shapes are ours). */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"

const Condition = Schema.Literals(["ok", "degraded", "down"])

export const Health = Schema.Struct({
  /** The worst of the parts. */
  status: Condition,
  database: Schema.Struct({ status: Condition, latencyMs: Schema.NullOr(Schema.Int) }),
  chains: Schema.Array(
    Schema.Struct({
      id: ChainId,
      name: Schema.String,
      status: Condition,
      blockNumber: Schema.NullOr(Uint256),
      /** Age of the newest block. */
      blockAgeSeconds: Schema.NullOr(Schema.Int),
      /** Whether delegate, guard and entry have code where they are expected. */
      contractsDeployed: Schema.NullOr(Schema.Boolean)
    })
  ),
  lanes: Schema.Array(
    Schema.Struct({
      chainId: ChainId,
      address: Address.Address,
      status: Condition,
      /** Wei. */
      balance: Schema.NullOr(Uint256),
      unconfirmed: Schema.Int
    })
  ),
  /** Whether the relayer sends; what it has sent it follows to its end in any case. */
  relaying: Schema.Array(
    Schema.Struct({
      chainId: ChainId,
      status: Condition,
      /** By its operator (`RELAYER_PAUSED_CHAINS`). */
      paused: Schema.Boolean,
      /** Wei of the last day, paid and on its way. */
      spent: Schema.NullOr(Uint256),
      /** Wei, from which on nothing is sent (`DAILY_SPEND_CAP_WEI`). */
      dailyCap: Schema.NullOr(Uint256)
    })
  ),
  providers: Schema.Array(Schema.Struct({ name: Schema.String, status: Condition })),
  queues: Schema.Struct({
    quoted: Schema.Int,
    submitted: Schema.Int,
    settledSource: Schema.Int,
    outboxPending: Schema.Int,
    outboxRejected: Schema.Int
  })
}).annotate({ identifier: "Health" })
export type Health = typeof Health.Type

export const AlertView = Schema.Struct({
  id: Schema.String,
  severity: Schema.Literals(["warning", "critical"]),
  kind: Schema.String,
  message: Schema.String,
  sinceMs: Schema.Int,
  details: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
}).annotate({ identifier: "Alert" })
export type AlertView = typeof AlertView.Type
