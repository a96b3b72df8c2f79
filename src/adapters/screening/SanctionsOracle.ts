/**
 * {@link Screening} by the sanctions oracle that Chainalysis keeps on each chain: a contract that answers
 * `isSanctioned(address)` with a bool. Whatever is not a clean answer for every address blocks.
 */
import { Duration, Effect, Exit, Layer, Option, Request, RequestResolver, Semaphore } from "effect"
import { toFunctionSelector } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hex } from "../../domain/Hex.ts"
import { Chains, type ChainUnavailable, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import { Screening, ScreeningBlocked } from "../../ports/shared/Screening.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as FailClosed from "./FailClosed.ts"

const IS_SANCTIONED = toFunctionSelector("isSanctioned(address)")

const isSanctioned = (account: Address.Address): Hex =>
  `${IS_SANCTIONED}${account.slice(2).toLowerCase().padStart(64, "0")}`

export interface Options {
  /** How long the node may take; longer is no answer. */
  readonly timeout?: Duration.Input
}

/** Questions that may travel together wait while this many calls of a chain are under way. */
const CALLS = 2

/** Addresses in one call, at most. */
const ADDRESSES = 200

/** Whether the oracle of a chain clears these addresses: one caller's question. */
class Question extends Request.Class<
  { readonly chainId: ChainId; readonly addresses: ReadonlyArray<Address.Address> },
  ReadonlyArray<bigint | undefined>,
  ChainUnavailable | UnsupportedChain
> {}

/**
 * Many callers' questions in one call. Whatever is asked while calls are under way goes into the next one, so every answer is
 * as fresh as if its caller had asked alone, and a busy service asks the node no more often than it answers.
 */
const together = Effect.gen(function* () {
  const chains = yield* Chains
  const calls = yield* Semaphore.make(CALLS)

  const ask = Effect.fnUntraced(function* (chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
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
    batchKey: ({ request }) => request.chainId,
    delay: calls.withPermit(Effect.yieldNow),
    collectWhile: (entries) => entries.size < ADDRESSES,
    runAll: (entries) => {
      const [{ request }] = entries
      const addresses = [...new Set(entries.flatMap((entry) => entry.request.addresses))]
      return calls.withPermit(ask(request.chainId, addresses)).pipe(
        Effect.map((verdicts) => {
          for (const entry of entries) {
            entry.completeUnsafe(Exit.succeed(entry.request.addresses.map((address) => verdicts.get(address))))
          }
        })
      )
    }
  })
})

const word = (answer: Multicall3.Answer | undefined) =>
  answer === undefined ? undefined : Option.getOrUndefined(Multicall3.word(answer))

export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const resolver = yield* together

  const ask = Effect.fnUntraced(function* (chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
    const verdicts = yield* Effect.request(new Question({ chainId, addresses }), resolver)
    if (verdicts.includes(1n)) return yield* new ScreeningBlocked({ cause: "listed" })
    if (verdicts.some((verdict) => verdict !== 0n)) {
      return yield* FailClosed.unavailable(`the sanctions oracle of chain ${chainId} did not answer with booleans`)
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
