/**
 * {@link Screening} by the sanctions oracle of Chainalysis on each chain, a contract with `isSanctioned(address)`. Anything but
 * a valid answer for every address blocks the request. An address counts as listed only if no second endpoint of the chain contradicts,
 * since one that lies could otherwise end every sweep.
 */
import { Duration, Effect, Exit, Layer, Option, Request, RequestResolver, Semaphore } from "effect"
import { toFunctionSelector } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hex } from "../../domain/Hex.ts"
import { type ChainClient, Chains, type ChainUnavailable, type UnsupportedChain } from "../../ports/shared/Chains.ts"
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

type Verdict = bigint | undefined

/** The oracle's word for each address; undefined for an answer that is no word. */
const verdictsOf = Effect.fnUntraced(function* (client: ChainClient, addresses: ReadonlyArray<Address.Address>) {
  const { sanctionsOracle: to } = client.chain
  const reads = addresses.map((account) => ({ to, data: isSanctioned(account) }))
  const answers = yield* Multicall3.read(client, reads, { batch: ADDRESSES })
  return addresses.map((_, index): Verdict => word(answers[index]))
})

const isSame = (one: ReadonlyArray<Verdict>, other: ReadonlyArray<Verdict>): boolean =>
  one.every((verdict, index) => verdict === other[index])

const isUnknown = (verdicts: ReadonlyArray<Verdict>): boolean => verdicts.includes(undefined)

/** One caller's question: the addresses to clear on the resolver's chain. */
class Question extends Request.Class<
  { readonly addresses: ReadonlyArray<Address.Address> },
  ReadonlyArray<Verdict>,
  ChainUnavailable | UnsupportedChain
> {}

/**
 * Combines the questions of many callers of one priority about one chain into one call. Questions that arrive while calls are in flight go into the next call.
 * Every answer is therefore newer than its question, and a busy service does not call the node more often than it answers.
 */
const together = (chains: Chains["Service"], chainId: ChainId, priority: Priority.Priority) => {
  const calls = Semaphore.makeUnsafe(CALLS)

  const ask = Effect.fnUntraced(function* (addresses: ReadonlyArray<Address.Address>) {
    const verdicts = yield* verdictsOf(yield* chains.get(chainId), addresses)
    return new Map(addresses.map((address, index) => [address, verdicts[index]]))
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

  const timeout = options.timeout ?? Duration.seconds(3)

  /** The addresses that one endpoint calls listed. */
  const ask = Effect.fnUntraced(
    function* (chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
      const verdicts = yield* Effect.request(new Question({ addresses }), resolverOf(chainId, yield* Priority.Current))
      const listed = addresses.filter((_, index) => verdicts[index] === 1n)
      if (listed.length === 0 && verdicts.some((verdict) => verdict !== 0n)) {
        return yield* FailClosed.unavailable(
          `the sanctions oracle of chain ${chainId} returned an answer that is not a boolean`
        )
      }
      return listed
    },
    FailClosed.guard("the sanctions oracle", timeout)
  )

  /** Blocks because of addresses that one endpoint calls listed: as listed, unless another endpoint contradicts. */
  const block = Effect.fnUntraced(function* (chainId: ChainId, listed: ReadonlyArray<Address.Address>) {
    const client = yield* chains.get(chainId)
    const again = yield* client
      .corroborated(verdictsOf(client, listed), { isSame, isUnknown })
      .pipe(Effect.timeoutOption(timeout))
    // Silence contradicts nothing.
    if (Option.isNone(again) || again.value.includes(1n)) return yield* new ScreeningBlocked({ cause: "listed" })
    return yield* FailClosed.unavailable(
      `the sanctions oracle of chain ${chainId} called ${listed.join(", ")} listed, and then did not`
    )
  }, FailClosed.asked("the sanctions oracle"))

  const clear = Effect.fnUntraced(function* (chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
    if (addresses.length === 0) return
    const listed = yield* ask(chainId, addresses)
    if (listed.length > 0) yield* block(chainId, listed)
  })

  return Screening.of({ clear })
})

export const layer = (options?: Options) => Layer.effect(Screening, make(options))
