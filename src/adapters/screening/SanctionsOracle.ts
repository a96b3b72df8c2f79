/**
 * {@link Screening} by the sanctions oracle of Chainalysis on each chain, a contract with `isSanctioned(address)`. Anything but
 * a valid answer for every address blocks the request.
 */
import { Duration, Effect, Exit, Layer, Option, Request, RequestResolver, Semaphore } from "effect"
import { toFunctionSelector } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hex } from "../../domain/Hex.ts"
import { Chains, type ChainUnavailable, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import { Screening, ScreeningBlocked } from "../../ports/shared/Screening.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as FailClosed from "./FailClosed.ts"

const IS_SANCTIONED = toFunctionSelector("isSanctioned(address)")

const isSanctioned = (account: Address.Address): Hex =>
  `${IS_SANCTIONED}${account.slice(2).toLowerCase().padStart(64, "0")}`

export interface Options {
  /** Timeout of a call to the node. */
  readonly timeout?: Duration.Input
}

/** Maximum number of concurrent calls per chain and priority. Further questions wait and are combined. */
const CALLS = 2

/** Maximum number of addresses in one call. */
const ADDRESSES = 200

/** One caller's question: the addresses to clear on the resolver's chain. */
class Question extends Request.Class<
  { readonly addresses: ReadonlyArray<Address.Address> },
  ReadonlyArray<bigint | undefined>,
  ChainUnavailable | UnsupportedChain
> {}

/**
 * Combines the questions of many callers of one priority about one chain into one call. Questions that arrive while calls are in flight go into the next call.
 * Every answer is therefore newer than its question, and a busy service does not call the node more often than it answers.
 */
const together = (chains: Chains["Service"], chainId: ChainId, priority: Priority.Priority) => {
  const calls = Semaphore.makeUnsafe(CALLS)

  const ask = Effect.fnUntraced(function* (addresses: ReadonlyArray<Address.Address>) {
    const client = yield* chains.get(chainId)
    const answers = yield* Multicall3.read(
      client,
      addresses.map((account) => ({
        to: client.chain.sanctionsOracle,
        data: isSanctioned(account)
      })),
      { batch: ADDRESSES }
    )
    return new Map(addresses.map((address, index) => [address, word(answers[index])]))
  })

  return RequestResolver.makeWith<Question>({
    batchKey: () => chainId,
    delay: calls.withPermit(Effect.yieldNow),
    collectWhile: (entries) => entries.size < ADDRESSES,
    runAll: (entries) => {
      const addresses = [...new Set(entries.flatMap((entry) => entry.request.addresses))]
      return calls.withPermit(Priority.at(priority)(ask(addresses))).pipe(
        Effect.map((verdicts) => {
          for (const entry of entries) {
            entry.completeUnsafe(Exit.succeed(entry.request.addresses.map((address) => verdicts.get(address))))
          }
        })
      )
    }
  })
}

const word = (answer: Multicall3.Answer | undefined) =>
  answer === undefined ? undefined : Option.getOrUndefined(Multicall3.word(answer))

export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const chains = yield* Chains
  // Each chain has calls of its own, so that a node that does not answer holds up no other chain. So has each priority, so that
  // questions of a lower one, which wait for a node's budget, hold up none of a higher one.
  const resolvers = new Map<string, ReturnType<typeof together>>()
  const resolverOf = (chainId: ChainId, priority: Priority.Priority) => {
    const key = `${chainId}:${priority}`
    const known = resolvers.get(key)
    if (known !== undefined) return known
    const resolver = together(chains, chainId, priority)
    resolvers.set(key, resolver)
    return resolver
  }

  const ask = Effect.fnUntraced(function* (chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
    const verdicts = yield* Effect.request(new Question({ addresses }), resolverOf(chainId, yield* Priority.Current))
    if (verdicts.includes(1n)) return yield* new ScreeningBlocked({ cause: "listed" })
    if (verdicts.some((verdict) => verdict !== 0n)) {
      return yield* FailClosed.unavailable(
        `the sanctions oracle of chain ${chainId} returned an answer that is not a boolean`
      )
    }
  })

  const clear = Effect.fnUntraced(
    function* (chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
      if (addresses.length > 0) yield* ask(chainId, addresses)
    },
    FailClosed.guard("the sanctions oracle", options.timeout ?? Duration.seconds(3))
  )

  return Screening.of({ clear })
})

export const layer = (options?: Options) => Layer.effect(Screening, make(options))
