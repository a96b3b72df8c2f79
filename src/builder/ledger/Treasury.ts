/** Compares what is owed to builders with the balances of the vaults. */
import { Context, Effect, Layer, Option } from "effect"
import { decodeAbiParameters, encodeFunctionData, erc20Abi } from "viem"
import type * as Address from "../../domain/Address.ts"
import { type LedgerTotals, position, type Position } from "../../domain/LedgerEntry.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"

/** One token on one chain, in the token's smallest unit. */
export interface Holding extends Position {
  /** The vault's balance; absent when the chain is not configured or its node does not answer. */
  readonly vaultBalance?: bigint
}

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

      const holding = Effect.fnUntraced(function* (totals: LedgerTotals) {
        const client = chains.all.find(({ chain }) => chain.id === totals.chainId)
        const vaultBalance = client === undefined ? Option.none() : yield* balanceOf(client, totals.token)
        return {
          ...position(totals),
          ...(Option.isSome(vaultBalance) ? { vaultBalance: vaultBalance.value } : {})
        }
      })

      return Treasury.of({
        positions: ledger.allTotals.pipe(
          Effect.flatMap(Effect.forEach(holding, { concurrency: CONCURRENCY })),
          Effect.withSpan("Treasury.positions")
        )
      })
    })
  )
}

/** Balances that are requested concurrently. */
const CONCURRENCY = 8

const balanceOf = (client: ChainClient, token: Address.Address) =>
  client
    .call({
      to: token,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [client.chain.builderVault] }),
      block: "latest"
    })
    .pipe(
      Effect.map((data) => Option.liftThrowable(() => decodeAbiParameters([{ type: "uint256" }], data)[0])()),
      Effect.catch((error) =>
        Effect.logWarning("treasury.balance_unavailable").pipe(
          Effect.annotateLogs({ chain: client.chain.name, token, detail: error.message }),
          Effect.as(Option.none())
        )
      )
    )
