/**
 * Turns of quotes and submissions of this process, so that those of owners who paid before do not wait behind a flood of others while
 * the process is late. A builder has no standing here: anybody can use its public API key.
 */
import { Clock, Context, Deferred, Effect, Layer, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import * as FairTurns from "../../domain/FairTurns.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { LoopDelay } from "../../runtime/LoopDelay.ts"

/** Time for which a request waits for its turn, in milliseconds. A response begins within 4 seconds. */
const PATIENCE_MILLIS = 3_000

/** Time after which a refused request may be repeated, in milliseconds. */
const RETRY_MILLIS = 2_000

/** Time for which an owner is looked up, in milliseconds. An owner who is not found by then counts as new. */
const LOOKUP_MILLIS = 200

/** Time for which an owner without a settled sweep is not looked up again, in milliseconds. */
const UNPAID_MILLIS = 5_000

/** Time between two owners that are looked up while the process keeps up, in milliseconds. */
const LEARN_MILLIS = 100

const NANOS_PER_MILLI = 1_000_000

/** Owners that are remembered, with and without a settled sweep. */
const REMEMBERED = { paid: 50_000, unpaid: 10_000 }

/** Too many requests wait for their turn, or this one has waited for too long. */
export class TooBusy extends Schema.TaggedError<TooBusy>()("TooBusy", {
  /** Milliseconds after which the request may be repeated. */
  retryAfterMillis: Schema.Int
}) {
  override get message(): string {
    return "the service is late, and the request did not have its turn in time"
  }
}

/** Tokens of a sweep. */
export interface Swap {
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address
  readonly destChainId: number | bigint
}

/** A quote or a submission. */
export interface Asker {
  readonly owner: Address.Address
  readonly swaps: ReadonlyArray<Swap>
  /** Network of the client. Undefined if it is unknown. */
  readonly network: string | undefined
}

/** Turns depend on the time that passes. The wall clock may be set back, and all would wait until it has caught up. */
const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / NANOS_PER_MILLI)

/** Drops the oldest: a set iterates in insertion order. */
const trim = (known: Set<Address.Address>, most: number): void => {
  for (const key of known) {
    if (known.size <= most) return
    known.delete(key)
  }
}

/** Makes `standingOf(asker, isCrowded)`, which reads the store only while requests are crowded, and otherwise trusts what it knows. */
const makeStanding = Effect.gen(function* () {
  const chains = yield* Chains
  const intents = yield* Intents
  const chainIds = chains.all.map(({ chain }) => chain.id)
  const paid = new Set<Address.Address>()
  /** Monotonic milliseconds until which an owner is not looked up again. */
  const unpaid = LatestMap.make<Address.Address, number>(REMEMBERED.unpaid)

  const isListed = ({ destChainId, tokenIn, tokenOut }: Swap): boolean =>
    chains.all.some(({ chain }) => Chain.listedTier(chain, tokenIn) !== "tier3") &&
    chains.all.some(
      ({ chain }) => BigInt(chain.id) === BigInt(destChainId) && Chain.listedTier(chain, tokenOut) !== "tier3"
    )

  const lookUp = Effect.fnUntraced(function* (owner: Address.Address) {
    const now = yield* monotonicMillis
    if ((unpaid.get(owner) ?? Number.NEGATIVE_INFINITY) > now) return false
    const found = yield* intents.hasSettled(owner, chainIds).pipe(Effect.timeout(LOOKUP_MILLIS), Effect.option)
    if (found._tag === "None") return false
    if (found.value) {
      paid.add(owner)
      trim(paid, REMEMBERED.paid)
    } else unpaid.set(owner, now + UNPAID_MILLIS)
    return found.value
  })

  let learnsAfterMs = Number.NEGATIVE_INFINITY

  /** Looks an owner up for its next requests, but only one every few moments, so that a busy process spends next to nothing on it. */
  const learn = Effect.fnUntraced(function* (owner: Address.Address) {
    const now = yield* monotonicMillis
    if (now < learnsAfterMs) return
    learnsAfterMs = now + LEARN_MILLIS
    yield* Effect.forkDetach(lookUp(owner))
  })

  return Effect.fnUntraced(function* (asker: Asker, isCrowded: boolean): Effect.fn.Return<FairTurns.Standing> {
    if (!asker.swaps.every(isListed)) return "unlisted"
    if (paid.has(asker.owner)) return "paid"
    if (isCrowded) return (yield* lookUp(asker.owner)) ? "paid" : "listed"
    yield* learn(asker.owner)
    return "listed"
  })
})

export class RequestTurns extends Context.Service<
  RequestTurns,
  {
    /** Runs the effect when it has its turn: at once, unless the process is late. */
    readonly take: (asker: Asker) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | TooBusy, R>
  }
>()("sweep/orchestrator/RequestTurns") {
  static readonly layerNoDeps = Layer.effect(
    RequestTurns,
    Effect.gen(function* () {
      const delay = yield* LoopDelay
      const standingOf = yield* makeStanding
      const waiters = new Map<number, Deferred.Deferred<void, TooBusy>>()
      const busy = Effect.fail(new TooBusy({ retryAfterMillis: RETRY_MILLIS }))
      let turns = FairTurns.START
      let count = 0
      let isResting = false

      /** Applies an event, and tells the requests that wait. */
      const apply = (event: FairTurns.Event, nowMs: number): FairTurns.Step => {
        const done = FairTurns.step(turns, event, { nowMs, delayMillis: delay.millis() })
        turns = done.turns
        const tell = (numbers: ReadonlyArray<number>, outcome: Effect.Effect<void, TooBusy>) => {
          for (const number of numbers) {
            const waiter = waiters.get(number)
            if (waiter !== undefined) Deferred.doneUnsafe(waiter, outcome)
          }
        }
        tell(done.begun, Effect.void)
        tell(done.refused, busy)
        return done
      }

      const at = <A, E>(decide: (nowMs: number) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.flatMap(monotonicMillis, decide)

      /**
       * Gives the next turn when a rest ends that requests wait for. One fiber sleeps for all, and ends by itself. `nowMs`: time of the
       * event after which they wait, since a rest that has ended by now would wake nobody.
       */
      const rest = (nowMs: number): Effect.Effect<void> =>
        Effect.suspend(() => {
          const left = FairTurns.restedAtMs(turns) - nowMs
          if (isResting || left <= 0 || turns.waiting.length === 0) return Effect.void
          isResting = true
          const rested = at((laterMs) => {
            isResting = false
            apply({ _tag: "Rested" }, laterMs)
            return rest(laterMs)
          })
          return Effect.asVoid(Effect.forkDetach(Effect.delay(rested, Math.min(left, FairTurns.MOST_REST_MILLIS))))
        })

      const arrive = (arrival: Omit<FairTurns.Arrival, "_tag">) =>
        at((nowMs) => {
          const { number } = arrival
          const { begun, refused } = apply({ _tag: "Arrived", ...arrival }, nowMs)
          if (begun.includes(number)) return Effect.void
          if (refused.includes(number)) return busy
          // In the same turn of the event loop, so that no event can come in between.
          const waiter = Deferred.makeUnsafe<void, TooBusy>()
          waiters.set(number, waiter)
          return Effect.andThen(rest(nowMs), Deferred.await(waiter)).pipe(
            Effect.timeoutOrElse({ duration: PATIENCE_MILLIS, orElse: () => busy }),
            Effect.ensuring(Effect.sync(() => waiters.delete(number)))
          )
        })

      const end = (number: number) =>
        at((nowMs) => {
          apply({ _tag: "Ended", number }, nowMs)
          return rest(nowMs)
        })

      const take: RequestTurns["Service"]["take"] = (asker) => (effect) =>
        delay.measured(
          Effect.gen(function* () {
            const standing = yield* standingOf(asker, FairTurns.isCrowded(turns, delay.millis()))
            const number = count++
            const { network = "", owner } = asker
            return yield* Effect.onExit(Effect.andThen(arrive({ number, standing, network, owner }), effect), () =>
              end(number)
            )
          })
        )

      return RequestTurns.of({ take })
    })
  )

  static readonly layer = RequestTurns.layerNoDeps.pipe(Layer.provide(LoopDelay.layer))
}
