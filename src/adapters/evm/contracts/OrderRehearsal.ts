/**
 * Runs the calldata of orders on the latest state, with the delegate's stand-in. Orders of one owner that are rehearsed at the same moment
 * share an `eth_call`, in which each is undone before the next: the owner may leave out the others, and a gas limit that counts on
 * what they warmed would be too low.
 */
import { Array, Cache, Duration, Effect, Exit, Random, Request, RequestResolver, Result } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { designator } from "../../../domain/Delegation.ts"
import type { Hex } from "../../../domain/Hex.ts"
import { LIMIT_MARGIN } from "../../../domain/RelayGas.ts"
import { RelayerKeys } from "../../../ports/orchestrator/RelayerKeys.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../../ports/shared/Chains.ts"
import type { SimulatedCall, Surroundings } from "../../../ports/shared/Simulation.ts"
import { unsignedDelegate } from "./UnsignedDelegate.ts"

/** Gas with which an order is measured. Enough for any sweep. Bounds the time that a hostile token can burn at a node. */
const GAS_CAP = 5_000_000n

/** Orders in one call. It has 27 million gas, and many public nodes limit a call to 50 million. */
const TOGETHER = 8

export interface Rehearsed {
  readonly client: ChainClient
  readonly owner: Address.Address
  /** Calldata of the owner's account. */
  readonly data: Hex
  /** Default: `next`. */
  readonly block?: Surroundings["block"] | undefined
  /** Account that has no code meanwhile. Default: each has its own. */
  readonly plain?: Address.Address | undefined
}

class Rehearsing extends Request.Class<Rehearsed, SimulatedCall, ChainUnavailable> {}

type Entry = Request.Entry<Rehearsing>

/** Code of the delegates' stand-ins, by chain. A deployed delegate never changes. A read that failed is made again for the next order. */
const makeStandIns = Effect.gen(function* () {
  const chains = yield* Chains
  return yield* Cache.makeWith(
    Effect.fnUntraced(function* (chainId: number): Effect.fn.Return<Hex, ChainUnavailable> {
      const { chain, code } = yield* Effect.orDie(chains.get(chainId))
      const standIn = unsignedDelegate(yield* code(chain.contracts.delegate))
      const missing = new ChainUnavailable({
        chainId,
        method: "eth_getCode",
        detail: `${chain.contracts.delegate} is not the sweep delegate; run "./sweep deploy" for the chain`
      })
      return standIn ?? (yield* missing)
    }),
    {
      capacity: Number.MAX_SAFE_INTEGER,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero)
    }
  )
})

/** Makes `runAll(orders)`, which runs orders of one owner, each as if it were the only one. */
const makeRun = Effect.gen(function* () {
  const keys = yield* RelayerKeys
  const standIns = yield* makeStandIns

  /** Any lane, since each may send the sweep. */
  const laneOf = Effect.fnUntraced(function* (client: ChainClient) {
    const lanes = keys.lanes(client.chain.id)
    return lanes.length === 0 ? undefined : lanes[yield* Random.nextIntBetween(0, lanes.length - 1)]
  })

  return Effect.fnUntraced(function* (orders: Array.NonEmptyReadonlyArray<Rehearsed>) {
    const [{ block = "next", client, owner, plain }] = orders
    const { delegate, entry } = client.chain.contracts
    // A sweep through the entry finds it warm, and one that goes directly to its account finds it cold. A token could tell them apart.
    const warm = block === "next" ? [entry] : []
    const standIn = yield* Cache.get(standIns, client.chain.id)
    const lane = yield* laneOf(client)
    const steps = orders.map(({ data }) => ({ to: owner, data, gas: GAS_CAP, fit: LIMIT_MARGIN }))
    const outcomes = yield* client.simulate(steps, {
      ...(lane === undefined ? {} : { within: { origin: lane, block, warm } }),
      ...(orders.length === 1 ? {} : { isApart: true }),
      codeOverrides: [
        ...(plain === undefined ? [] : [{ address: plain, code: "0x" as const }]),
        { address: owner, code: designator(delegate) },
        { address: delegate, code: standIn }
      ]
    })
    if (outcomes.length === orders.length) return outcomes
    return yield* new ChainUnavailable({
      chainId: client.chain.id,
      method: "eth_call",
      detail: "the answer has another number of calls"
    })
  })
})

/** Parts of nearly the same size. */
const partsOf = (entries: Array.NonEmptyReadonlyArray<Entry>) =>
  Array.chunksOf(entries, Math.ceil(entries.length / Math.ceil(entries.length / TOGETHER)))

/**
 * Makes `rehearse(order)`. If a shared call fails, each of its orders has a call of its own: a node may refuse what one token does, and
 * one may use the gas of the others.
 */
export const make = Effect.map(makeRun, (runAll) => {
  const answer = (entries: Array.NonEmptyReadonlyArray<Entry>): Effect.Effect<void> =>
    Effect.flatMap(Effect.result(runAll(Array.map(entries, ({ request }) => request))), (ran) => {
      if (Result.isFailure(ran) && entries.length > 1) {
        return Effect.forEach(entries, (entry) => answer([entry]), { concurrency: "unbounded", discard: true })
      }
      return Effect.sync(() => {
        for (const [index, entry] of entries.entries()) {
          const outcome = Result.isSuccess(ran) ? ran.success[index] : undefined
          if (outcome !== undefined) entry.completeUnsafe(Exit.succeed(outcome))
          else if (Result.isFailure(ran)) entry.completeUnsafe(Exit.fail(ran.failure))
        }
      })
    })
  const resolver = RequestResolver.makeGrouped<Rehearsing, string>({
    // In the block of a listed token, no token that is not listed uses up the gas.
    key: ({ request: { block = "next", client, owner, plain } }) => [client.chain.id, owner, block, plain].join(" "),
    resolver: (entries) => Effect.forEach(partsOf(entries), answer, { concurrency: "unbounded", discard: true })
  })
  return (order: Rehearsed): Effect.Effect<SimulatedCall, ChainUnavailable> =>
    Effect.request(new Rehearsing(order), resolver)
})
