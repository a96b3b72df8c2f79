/** Compares what is owed to builders with the balances of the vaults. */
import { Array, Context, Effect, Layer } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type LedgerTotals, position, type Position } from "../../domain/LedgerEntry.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import { VaultBalances } from "../../ports/builder/VaultBalances.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as TokenReads from "../../runtime/TokenReads.ts"

/** One token on one chain, in the token's smallest unit. */
export interface Holding extends Position {
  /** The vault's balance; absent when the chain is not configured, or its node or the token does not answer in time. */
  readonly vaultBalance?: bigint
}

/** Balances of one read, reads of a chain in flight at once, and the time of all of them, which leaves time to answer a request. */
const READS = { size: 100, concurrency: 4, limit: "2 seconds" } as const

export class Treasury extends Context.Service<
  Treasury,
  {
    /** Positions of every token that was ever earned. */
    readonly positions: Effect.Effect<ReadonlyArray<Holding>, StoreUnavailable>
  }
>()("sweep/builder/Treasury") {
  static readonly layer = Layer.effect(
    Treasury,
    Effect.gen(function* () {
      const chains = yield* Chains
      const ledger = yield* Ledger
      const vaults = yield* VaultBalances

      const balances = Effect.fnUntraced(function* (client: ChainClient, tokens: ReadonlyArray<Address.Address>) {
        const { answers, failure } = yield* TokenReads.inParts(tokens, READS, (part) =>
          Effect.map(vaults.read(client, part), (found) => new Map(Array.zip(part, found)))
        )
        const unknown = tokens.filter((token) => answers.get(token)?._tag !== "Some").length
        if (unknown > 0) {
          const detail = failure ?? "the tokens do not tell a balance"
          yield* Effect.logWarning("treasury.balances_unavailable").pipe(
            Effect.annotateLogs({ chain: client.chain.name, tokens: unknown, detail })
          )
        }
        return answers
      })

      const holdings = Effect.fnUntraced(function* (totals: ReadonlyArray<LedgerTotals>) {
        const earned = Map.groupBy(totals, ({ chainId }) => chainId)
        const known = yield* Effect.forEach(
          chains.all,
          (client) => {
            const { id } = client.chain
            const tokens = (earned.get(id) ?? []).map(({ token }) => token)
            return Effect.map(balances(client, tokens), (found) => [id, found] as const)
          },
          { concurrency: "unbounded" }
        )
        const byChain = new Map(known)
        return totals.map((each): Holding => {
          const { chainId, token } = each
          const balance = chainId === undefined ? undefined : byChain.get(chainId)?.get(token)
          return { ...position(each), ...(balance?._tag === "Some" ? { vaultBalance: balance.value } : {}) }
        })
      })

      return Treasury.of({
        positions: ledger.allTotals.pipe(Effect.flatMap(holdings), Effect.withSpan("Treasury.positions"))
      })
    })
  )
}
