/**
 * Runs a read on a second endpoint, so that one endpoint alone cannot cause what costs money. A contradiction fails the read. The silence
 * of the others does not, since one endpoint that is down must not stop a chain.
 */
import { Clock, Data, Effect, Equal, Option, Predicate, Result } from "effect"
import type { Attested, Comparison } from "../../../ports/shared/Corroborating.ts"
import { Current as Priority } from "../../../ports/shared/Priority.ts"
import * as Choice from "./Choice.ts"
import type { Health } from "./Health.ts"
import type { Endpoint, RpcFailure } from "./JsonRpc.ts"

/** Time in which another endpoint has to finish the read, in milliseconds. */
const ANSWER_MILLIS = 3_000

/** An endpoint that did not finish a read in time is not asked to confirm one for this many milliseconds. */
const SILENCE_MILLIS = 10_000

/** Two endpoints gave different answers. */
export class Contradiction extends Data.TaggedError("Contradiction")<{ readonly endpoints: ReadonlyArray<string> }> {
  override get message(): string {
    return `${this.endpoints.join(" and ")} gave different answers`
  }
}

/** An answer, with the endpoints that gave it. */
interface Statement<A> {
  readonly answer: A
  readonly by: ReadonlyArray<Endpoint>
}

const blockNumberOf = (answer: unknown): bigint | undefined => {
  const value = Option.isOption(answer) ? Option.getOrUndefined(answer) : answer
  const number = Predicate.hasProperty(value, "blockNumber") ? value.blockNumber : undefined
  return typeof number === "bigint" ? number : undefined
}

/** Height of an endpoint that is asked for it unless its last known head has the block. */
type HeightFor = (endpoint: Endpoint, block: bigint) => Effect.Effect<bigint | undefined, RpcFailure>

/** Makes the comparison of two statements. */
const makeCompare = (health: Health, heightFor: HeightFor) => {
  /** True if an endpoint that does not know an answer should know it: it has the block, or follows the chain and is far below. */
  const knows = (endpoint: Endpoint, block: bigint) =>
    Effect.gen(function* () {
      const height = yield* Effect.orElseSucceed(heightFor(endpoint, block), () => undefined)
      return (height !== undefined && height >= block) || (yield* health.denies(endpoint, block))
    })

  const shouldKnow = (endpoints: ReadonlyArray<Endpoint>, block: bigint | undefined) =>
    block === undefined
      ? Effect.succeed(false)
      : Effect.map(
          Effect.forEach(endpoints, (endpoint) => knows(endpoint, block)),
          (known) => known.includes(true)
        )

  /** Returns the statement to go on with, and if it is proved. Fails if they contradict each other. */
  return Effect.fnUntraced(function* <A>(held: Statement<A>, other: Statement<A>, comparison: Comparison<A>) {
    const { blockOf = blockNumberOf, isSame = Equal.equals, isUnknown = () => false } = comparison
    if (isSame(held.answer, other.answer)) return { held, isProved: true }
    const [isHeldUnknown, isOtherUnknown] = [isUnknown(held.answer), isUnknown(other.answer)]
    if (isHeldUnknown && isOtherUnknown) return { held, isProved: false }
    const isIgnorance =
      (isHeldUnknown && !(yield* shouldKnow(held.by, blockOf(other.answer)))) ||
      (isOtherUnknown && !(yield* shouldKnow(other.by, blockOf(held.answer))))
    if (isIgnorance) return { held: isHeldUnknown ? other : held, isProved: false }
    return yield* new Contradiction({ endpoints: [...held.by, ...other.by].map(({ name }) => name) })
  })
}

export interface Corroboration {
  /**
   * Runs the read. `corroborate` runs it again on an endpoint that did not answer it. It returns the answer if the second one is equal, or
   * if no other endpoint answers. Of an unknown and a known answer, the known one counts, unless the other endpoint has its block.
   * The reads inside a read that is compared are not compared again, and an answer that no endpoint gave now is not.
   */
  readonly attested: <A, E>(
    read: Effect.Effect<A, E>,
    comparison?: Comparison<A>
  ) => Effect.Effect<Attested<A, E | Contradiction>, E>
}

/** Makes a function that runs a read on one endpoint only. Its answer is none if the endpoint fails or is late. */
const makeAskOnly = () => {
  /** UNIX milliseconds of the last read that an endpoint did not finish in time. */
  const silentAt = new Map<Endpoint, number>()

  const isSilent = (endpoint: Endpoint, now: number): boolean => {
    const at = silentAt.get(endpoint)
    return at !== undefined && now >= at && now - at < SILENCE_MILLIS
  }

  return Effect.fnUntraced(function* <A, E>(endpoint: Endpoint, read: Effect.Effect<A, E>) {
    if (isSilent(endpoint, yield* Clock.currentTimeMillis)) return Option.none<A>()
    const choice = { only: endpoint, answered: new Set<Endpoint>() }
    const outcome = yield* Effect.result(Effect.provideService(read, Choice.Current, choice)).pipe(
      Effect.timeoutOption(ANSWER_MILLIS)
    )
    if (Option.isNone(outcome)) silentAt.set(endpoint, yield* Clock.currentTimeMillis)
    return Option.flatMap(outcome, Result.getSuccess)
  })
}

export const make = (health: Health, heightFor: HeightFor): Corroboration => {
  const askOnly = makeAskOnly()
  const compare = makeCompare(health, heightFor)

  const corroborate = Effect.fnUntraced(function* <A, E>(
    read: Effect.Effect<A, E>,
    first: Statement<A>,
    comparison: Comparison<A>
  ): Effect.fn.Return<A, Contradiction> {
    const ordered = health.ordered(yield* Priority, yield* Clock.currentTimeMillis)
    const others = ordered.filter((endpoint) => !first.by.includes(endpoint))
    // Each of several endpoints may have given a part of the answer, so that each could be the one that lies.
    const parts = first.by.length === 1 ? [] : ordered.filter((endpoint) => first.by.includes(endpoint))
    let held = first
    for (const endpoint of [...others, ...parts]) {
      const said = yield* askOnly(endpoint, read)
      if (Option.isNone(said)) continue
      const compared = yield* compare(held, { answer: said.value, by: [endpoint] }, comparison)
      held = compared.held
      if (compared.isProved && others.includes(endpoint)) break
    }
    return held.answer
  })

  return {
    attested: Effect.fnUntraced(function* <A, E>(
      read: Effect.Effect<A, E>,
      comparison: Comparison<A> = {}
    ): Effect.fn.Return<Attested<A, E | Contradiction>, E> {
      const isCompared = (yield* Choice.Current) !== undefined
      if (isCompared || health.endpoints.length < 2) {
        const answer = yield* read
        return { answer, corroborate: Effect.succeed(answer) }
      }
      const answered = new Set<Endpoint>()
      const answer = yield* Effect.provideService(read, Choice.Current, { only: undefined, answered })
      const first = { answer, by: [...answered] }
      return {
        answer,
        corroborate: answered.size === 0 ? Effect.succeed(answer) : corroborate(read, first, comparison)
      }
    })
  }
}
