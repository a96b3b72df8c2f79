/** Guards that orders name and the chains file lacks. Their settlements are missing from a reconciliation, so each of them stops payouts. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import * as Transactions from "../../adapters/sql/orchestrator/LostTransactions.ts"
import type { Chain } from "../../domain/Chain.ts"
import * as Generations from "../../domain/Generations.ts"
import type { Open } from "./Report.ts"

/** Those of orders on the chain that could settle since a moment (UNIX milliseconds). */
export const unknown = Effect.fnUntraced(function* (chain: Chain, sinceMs: number) {
  const sql = yield* PgClient.PgClient
  const nonces = yield* Transactions.recentNonces(sql, chain.id, sinceMs)
  return nonces
    .filter((nonce) => !Generations.isKnown(chain, nonce))
    .map((nonce): Open => ({
      stopsPayouts: true,
      text:
        `orders name a guard on ${chain.name} whose address ends in ${Generations.guardEnd(nonce)}, which CHAINS_FILE does not have there, ` +
        "so its settlements were not read. Add its contracts to earlierContracts of the chain, and run this again"
    }))
})
