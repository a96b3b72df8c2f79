/**
 * Coverage of claimed sweeps by their network fees. Sweeps that would wait for a lower price are judged again by the lower prices of two
 * endpoints, since one that names false prices would otherwise end them at their deadlines.
 */
import { Effect } from "effect"
import { entryGas } from "../../domain/RelayGas.ts"
import { size } from "../../domain/Hex.ts"
import { required } from "../../domain/TransactionGas.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as FeeCoverage from "./FeeCoverage.ts"
import { shortfall } from "./FeeCoverWait.ts"
import type { Market } from "./Market.ts"
import type { Prepared, Signed } from "./Prepared.ts"

export type Coverages = ReadonlyMap<string, FeeCoverage.Coverage>

/** Makes `coveragesOf(client, intents, market)`, and `grown(client, prepared, known)`, which applies coverages to rehearsed sweeps. */
export const make = Effect.gen(function* () {
  const coverageOf = yield* FeeCoverage.make

  const confirmedCoverages = (client: ChainClient, intents: ReadonlyArray<Signed>, market: Market) =>
    coverageOf(client, intents, market.confirmed, { isConfirmed: true })

  const coveragesOf = Effect.fnUntraced(function* (
    client: ChainClient,
    intents: ReadonlyArray<Signed>,
    market: Market
  ): Effect.fn.Return<Coverages, ChainUnavailable | StoreUnavailable> {
    const found = yield* coverageOf(client, intents, market.fees)
    const isDear = intents.some((intent) => {
      const coverage = found.get(intent.id)
      return coverage !== undefined && shortfall(client, intent, coverage) !== undefined
    })
    return isDear ? yield* confirmedCoverages(client, intents, market) : found
  })

  /** The prepared sweeps, of which those wait that need more gas by now than their network fees cover. */
  const grown = Effect.fnUntraced(function* (
    client: ChainClient,
    all: ReadonlyArray<Prepared>,
    { coverages, market }: { readonly coverages: Coverages; readonly market: Market }
  ): Effect.fn.Return<ReadonlyArray<Prepared>, ChainUnavailable | StoreUnavailable> {
    const judged = all.map((each) => grownOne(client, each, coverages))
    if (market.isConfirmed() || !judged.some(({ _tag }) => _tag === "Waiting")) return judged
    const ready = all.flatMap((each) => (each._tag === "Ready" ? [each.ready.intent] : []))
    const lower = yield* confirmedCoverages(client, ready, market)
    return all.map((each) => grownOne(client, each, lower))
  })

  return { coveragesOf, grown }
})

/** A sweep that waits because it needs more gas by now than its network fee covers, or the sweep as it is. */
const grownOne = (client: ChainClient, prepared: Prepared, coverages: Coverages): Prepared => {
  if (prepared._tag !== "Ready") return prepared
  const { authorization, data, gas, intent } = prepared.ready
  const { dataGas = 0n } = intent
  // As its quote counted.
  const entry = authorization === undefined ? 0n : entryGas(size(data))
  const granted = required({
    authorizations: authorization === undefined ? 0 : 1,
    data,
    execution: gas.simulated + entry
  })
  // Refunds take off at most a fifth (EIP-3529), so it is charged at least this much.
  return shortfall(client, intent, coverages.get(intent.id), granted - granted / 5n + dataGas) ?? prepared
}
