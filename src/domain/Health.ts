/**
 * Responses of `GET /admin/health` and `GET /admin/alerts` (spec, "Operator routes"). The spec leaves their shapes
 * open.
 */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import { LaneState } from "./LaneState.ts"

const Condition = Schema.Literals(["ok", "degraded", "down"])

export const Health = Schema.Struct({
  status: described(Condition, "Worst condition of the parts."),
  database: described(
    Schema.Struct({
      status: described(Condition, "Condition of the database."),
      latencyMs: described(Schema.NullOr(Schema.Int), "Milliseconds that a query took. Null if it failed.")
    }),
    "Database."
  ),
  chains: described(
    Schema.Array(
      Schema.Struct({
        id: described(ChainId, "Chain."),
        name: described(Schema.String, "Name of the chain."),
        status: described(Condition, "Condition of the chain."),
        blockNumber: described(Schema.NullOr(Uint256), "Height of the latest block. Null if no node answered."),
        blockAgeSeconds: described(
          Schema.NullOr(Schema.Int),
          "Age of the latest block in seconds. Null if no node answered."
        ),
        contractsDeployed: described(
          Schema.NullOr(Schema.Boolean),
          "True if delegate, guard and entry have code at their configured addresses. Null if no node answered."
        ),
        canSimulate: described(
          Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
          "True if a node takes state overrides in eth_call, without which no quote can be made. Null if no node answered."
        ),
        missingContracts: described(
          Schema.optionalKey(Schema.Array(Schema.String)),
          "Contracts without code at their configured addresses."
        )
      })
    ),
    "Served chains."
  ),
  lanes: described(
    Schema.Array(
      Schema.Struct({
        chainId: described(ChainId, "Chain of the lane."),
        address: described(Address.Address, "Account that sends."),
        status: described(
          Condition,
          "Condition of the lane. Down without enough gas money, or while its signer does not answer. Always ok for a lane that the operator has taken out of use."
        ),
        balance: described(Schema.NullOr(Uint256), "Balance in wei. Null if no node answered."),
        unconfirmed: described(Schema.Int, "Number of transactions sent and not confirmed."),
        state: described(
          Schema.optionalKey(LaneState),
          "State of the lane. Absent if it is not known, as from a release before."
        )
      })
    ),
    "Relayer accounts on each chain."
  ),
  relaying: described(
    Schema.Array(
      Schema.Struct({
        chainId: described(ChainId, "Chain."),
        status: described(
          Condition,
          "Degraded while nothing is sent. Transactions that were sent are followed in any case."
        ),
        sends: described(
          Schema.optionalKey(Schema.Boolean),
          "True if the relayer can send: the chain is neither paused nor capped, has a recent block and has the contracts."
        ),
        paused: described(Schema.Boolean, "True if the operator paused the chain, or everything."),
        spent: described(
          Schema.NullOr(Uint256),
          "Wei spent on gas within 24 hours, including transactions in flight. Null if unknown."
        ),
        dailyCap: described(
          Schema.NullOr(Uint256),
          "Wei of gas within 24 hours at which sending stops (`DAILY_SPEND_CAP_WEI`). Null without a cap."
        )
      })
    ),
    "State of relaying on each chain."
  ),
  providers: described(
    Schema.Array(
      Schema.Struct({
        name: described(Schema.String, "Name of the provider."),
        status: described(Condition, "Condition of the provider."),
        requests: described(
          Schema.optionalKey(
            Schema.Struct({
              state: described(
                Schema.Literals(["closed", "paused", "open", "half_open"]),
                "`closed`: requests are sent. `paused`: the provider asked for a pause. `open`: none is sent after failures in a row. `half_open`: one is sent to see if the provider is back."
              ),
              retryAfterSeconds: described(Schema.Int, "Seconds until a request is sent again. 0 if one is sent now."),
              lastSuccessAgeSeconds: described(
                Schema.NullOr(Schema.Int),
                "Seconds since the last usable answer. Null if there was none since the start."
              ),
              failuresInARow: described(Schema.Int, "Failures since the last usable answer."),
              successes: described(Schema.Int, "Usable answers since the start of this process."),
              failures: described(Schema.Int, "Failures since the start of this process."),
              abandoned: described(
                Schema.Int,
                "Requests since the start of this process that were given up before an answer came, because other sources had answered."
              ),
              lastFailure: described(Schema.NullOr(Schema.String), "Last failure. Null if there was none.")
            })
          ),
          "Requests of this process to an outside HTTP service. Absent for other providers."
        )
      })
    ),
    "Upstream providers."
  ),
  queues: described(
    Schema.Struct({
      quoted: described(Schema.Int, "Number of open quotes."),
      submitted: described(Schema.Int, "Number of submitted intents that have not settled."),
      settledSource: described(Schema.Int, "Number of intents settled at their source and not delivered."),
      outboxPending: described(Schema.Int, "Number of messages to the builder backend that are not delivered yet."),
      outboxRejected: described(Schema.Int, "Number of messages that the builder backend rejected.")
    }),
    "Sizes of the queues."
  )
}).annotate({ identifier: "Health" })
export type Health = typeof Health.Type

export const AlertView = Schema.Struct({
  id: described(Schema.String, "Identifier of the alert."),
  severity: described(Schema.Literals(["warning", "critical"]), "Severity."),
  kind: described(Schema.String, "Kind of the alert, as a code."),
  message: described(Schema.String, "Description of the problem."),
  sinceMs: described(Schema.Int, "UNIX time in milliseconds when the alert was raised."),
  details: described(
    Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])),
    "Values behind the message."
  )
}).annotate({ identifier: "Alert" })
export type AlertView = typeof AlertView.Type
