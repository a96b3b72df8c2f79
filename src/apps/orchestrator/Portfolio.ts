/** Sources of the portfolio beside the tokens of the chains file. */
import { Effect, Layer, type Redacted } from "effect"
import * as Alchemy from "../../adapters/portfolio/Alchemy.ts"
import * as GoldRush from "../../adapters/portfolio/GoldRush.ts"
import * as MulticallBalances from "../../adapters/portfolio/MulticallBalances.ts"
import * as TokenLists from "../../adapters/portfolio/TokenLists.ts"
import * as TransferLogs from "../../adapters/portfolio/TransferLogs.ts"
import { Balances } from "../../ports/orchestrator/Balances.ts"

export interface Options {
  readonly tokenLists: ReadonlyArray<string>
  readonly refreshMillis: number
  /** 0: the logs are not searched. */
  readonly transferLogBlocks: number
  readonly alchemyApiKey?: Redacted.Redacted | undefined
  readonly goldRushApiKey?: Redacted.Redacted | undefined
}

const make = Effect.fnUntraced(function* (options: Options) {
  const { alchemyApiKey, goldRushApiKey, refreshMillis, tokenLists, transferLogBlocks } = options
  return yield* MulticallBalances.make({
    listed: yield* TokenLists.live({ sources: tokenLists, refreshMillis }),
    finders: [
      ...(transferLogBlocks === 0 ? [] : [yield* TransferLogs.make(transferLogBlocks)]),
      ...(alchemyApiKey === undefined ? [] : [yield* Alchemy.make({ apiKey: alchemyApiKey })]),
      ...(goldRushApiKey === undefined ? [] : [yield* GoldRush.make({ apiKey: goldRushApiKey })])
    ]
  })
})

/** Without options, portfolios have the tokens of the chains file. */
export const layer = (options: Options | undefined) =>
  Layer.effect(Balances, make(options ?? { tokenLists: [], refreshMillis: 86_400_000, transferLogBlocks: 0 }))
