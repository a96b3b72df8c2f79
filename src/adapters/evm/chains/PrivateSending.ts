/**
 * Hands signed transactions to private endpoints first, and to the public ones if those do not take them, or after a time without
 * inclusion. A private endpoint proves nothing: receipts and nonces are read from the public nodes, and only their refusals count.
 */
import { Clock, Effect, Option, type Scope } from "effect"
import type { Hex } from "../../../domain/Hex.ts"
import * as LatestMap from "../../../domain/LatestMap.ts"
import * as OrderFlow from "../../../domain/OrderFlow.ts"
import type { ChainClient } from "../../../ports/shared/Chains.ts"
import * as Keccak from "../codec/Keccak.ts"

export interface Options {
  readonly chainId: number
  /** Longest time for which a transaction stays private. */
  readonly publicAfterMillis: number
  /** To the private endpoints, all of them at once. */
  readonly sendPrivately: ChainClient["send"]
  readonly sendPublicly: ChainClient["send"]
  readonly receipt: ChainClient["receipt"]
}

/** Time after which a private endpoint counts as silent. */
const SILENCE_MILLIS = 2_000

/** Transactions that are remembered. One that is forgotten is private again if it is sent again, for the same time. */
const CAPACITY = 10_000

interface Remembered {
  readonly firstSentAt: number
  isRefused: boolean
  /** True once the public nodes have it. */
  isPublic: boolean
  /** True while its way to the public nodes is scheduled. */
  isScheduled: boolean
}

export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<ChainClient["send"], never, Scope.Scope> {
  const { chainId, publicAfterMillis, receipt, sendPrivately, sendPublicly } = options
  const scope = yield* Effect.scope
  const remembered = LatestMap.make<Hex, Remembered>(CAPACITY)

  const rememberedOf = (hash: Hex, now: number): Remembered => {
    const known = remembered.get(hash)
    if (known !== undefined) return known
    const fresh = { firstSentAt: now, isRefused: false, isPublic: false, isScheduled: false }
    remembered.set(hash, fresh)
    return fresh
  }

  /** Sends the transaction to the public nodes unless they have it or it is in a block. The watcher finds out what they answered. */
  const publish = Effect.fnUntraced(function* (hash: Hex, raw: Hex, sent: Remembered) {
    if (sent.isPublic) return
    const included = yield* Effect.orElseSucceed(receipt(hash), Option.none)
    if (Option.isSome(included)) return
    const answer = yield* Effect.result(sendPublicly(raw))
    yield* Effect.annotateLogs(Effect.logInfo("chain.made_public"), {
      chainId,
      transaction: hash,
      ...(answer._tag === "Failure" ? { answer: answer.failure.message } : {})
    })
  })

  const schedule = (hash: Hex, raw: Hex, sent: Remembered, millis: number) => {
    if (sent.isScheduled) return Effect.void
    sent.isScheduled = true
    return Effect.asVoid(Effect.forkIn(Effect.andThen(Effect.sleep(millis), publish(hash, raw, sent)), scope))
  }

  return Effect.fnUntraced(function* (raw: Hex) {
    const hash = Keccak.hash(raw)
    const now = yield* Clock.currentTimeMillis
    const sent = rememberedOf(hash, now)
    const { isRefused } = sent
    const way = OrderFlow.wayOf({ ageMillis: now - sent.firstSentAt, isRefused }, publicAfterMillis)
    if (way._tag === "Public") return yield* sendPublicly(raw)
    // Before it is sent: a caller that is interrupted meanwhile leaves its way to the public nodes behind.
    yield* schedule(hash, raw, sent, way.publicInMillis)
    const taken = yield* Effect.result(
      Effect.timeoutOrElse(sendPrivately(raw), {
        duration: SILENCE_MILLIS,
        orElse: () => Effect.fail({ message: `no private endpoint answered within ${SILENCE_MILLIS} ms` })
      })
    )
    if (taken._tag === "Success") return taken.success
    sent.isRefused = true
    yield* Effect.annotateLogs(Effect.logWarning("chain.not_private"), {
      chainId,
      transaction: hash,
      answer: taken.failure.message
    })
    const answer = yield* sendPublicly(raw)
    sent.isPublic = true
    return answer
  })
})
