/**
 * Runs a read on a second endpoint, so that one endpoint alone cannot cause what costs money. A contradiction fails the read, unless more
 * endpoints take one side. The silence of the others does not, since one endpoint that is down must not stop a chain.
 */
import { Clock, Data, Effect, Equal, Option, Predicate, Schema } from "effect"
import { isWithin } from "../../../domain/Age.ts"
import type { Attested, Comparison } from "../../../ports/shared/Corroborating.ts"
import * as Priority from "../../../ports/shared/Priority.ts"
import * as Choice from "./Choice.ts"
import type { Health } from "./Health.ts"
import type { Endpoint, RpcFailure } from "./JsonRpc.ts"

/** Time in which another endpoint has to finish the read, in milliseconds. */
const ANSWER_MILLIS = 3_000

/** An endpoint that did not finish a read in time is not asked to confirm one for this many milliseconds. */
const SILENCE_MILLIS = 10_000

/** Interval at which the head of an endpoint is read until it shows if the endpoint follows the chain, in milliseconds. */
const OBSERVING_MILLIS = 1_000

/** A block that no chain has. */
const ABOVE_ALL = 2n ** 64n

/** Two endpoints gave different answers. */
export class Contradiction extends Data.TaggedError("Contradiction")<{ readonly endpoints: ReadonlyArray<string> }> {
  override get message(): string {
    return `${this.endpoints.join(" and ")} gave different answers`
  }
}

/** An answer. None: the endpoint does not have the block that the read names. */
type Said<A> = Option.Option<A>

interface Statement<A> {
  readonly said: Said<A>
  readonly by: ReadonlyArray<Endpoint>
  /** Endpoints of which each gave the whole answer. */
  readonly votes: number
}

const valueOf = (answer: unknown): unknown => (Option.isOption(answer) ? Option.getOrUndefined(answer) : answer)

const blockNumberOf = (answer: unknown): bigint | undefined => {
  const value = valueOf(answer)
  const number = Predicate.hasProperty(value, "blockNumber") ? value.blockNumber : undefined
  return typeof number === "bigint" ? number : undefined
}

const decodeListed = Schema.decodeUnknownOption(Schema.Struct({ transactions: Schema.Array(Schema.String) }))

/** True if the answer is a receipt, and the endpoint's own block has the transaction. Nodes lose receipts before blocks. */
const hasTransaction = (endpoint: Endpoint, answer: unknown): Effect.Effect<boolean> => {
  const value = valueOf(answer)
  if (!Predicate.hasProperty(value, "blockHash") || !Predicate.hasProperty(value, "transactionHash")) {
    return Effect.succeed(false)
  }
  const { blockHash, transactionHash } = value
  return endpoint.request("eth_getBlockByHash", [blockHash, false]).pipe(
    Effect.timeoutOption(ANSWER_MILLIS),
    Effect.map((block) =>
      Option.exists(Option.flatMap(block, decodeListed), ({ transactions }) =>
        transactions.some((hash) => hash.toLowerCase() === transactionHash)
      )
    ),
    Effect.orElseSucceed(() => false)
  )
}

/** Height of an endpoint that is asked for it unless its last known head has the block. */
type HeightFor = (endpoint: Endpoint, block: bigint) => Effect.Effect<bigint | undefined, RpcFailure>

/** Relation of two statements. `held unknown` and `other unknown`: that one does not know the answer of the other one, and need not. */
type Relation = "same" | "both unknown" | "held unknown" | "other unknown" | "contradiction"

/** Makes the comparison of two statements. */
const makeCompare = (health: Health, heightFor: HeightFor) => {
  /** True if an endpoint that does not know an answer should know it: it has the block, or follows the chain and is far below. */
  const shouldKnow = Effect.fnUntraced(function* (endpoint: Endpoint, block: bigint, answer: unknown) {
    const asked = Effect.orElseSucceed(heightFor(endpoint, block), () => undefined)
    let height = yield* asked
    let denies = yield* health.denies(endpoint, block)
    // At the first sight of an endpoint nobody knows if it hangs, which some seconds show.
    while (denies === "undecided" && height !== undefined) {
      yield* Effect.sleep(OBSERVING_MILLIS)
      height = yield* asked
      // Its answer is older than its head now. So an endpoint that follows the chain contradicts also if it has come near the block.
      denies = yield* health.denies(endpoint, ABOVE_ALL)
    }
    const isContrary = denies !== false || (height !== undefined && height >= block)
    return isContrary && !(yield* hasTransaction(endpoint, answer))
  })

  /** True if one of the endpoints does not know the answer and should. */
  const denies = Effect.fnUntraced(function* <A>({ by }: Statement<A>, known: Said<A>, comparison: Comparison<A>) {
    const { blockOf = blockNumberOf } = comparison
    const block = Option.isSome(known) ? blockOf(known.value) : undefined
    if (block === undefined || Option.isNone(known)) return false
    const found = yield* Effect.forEach(by, (endpoint) => shouldKnow(endpoint, block, known.value))
    return found.includes(true)
  })

  const isUnknown = <A>(said: Said<A>, comparison: Comparison<A>): boolean =>
    Option.isNone(said) || comparison.isUnknown?.(said.value) === true

  const relate = Effect.fnUntraced(function* <A>(
    held: Statement<A>,
    other: Statement<A>,
    comparison: Comparison<A>
  ): Effect.fn.Return<Relation> {
    const { isSame = Equal.equals } = comparison
    if (Option.isSome(held.said) && Option.isSome(other.said) && isSame(held.said.value, other.said.value))
      return "same"
    const [isHeldUnknown, isOtherUnknown] = [isUnknown(held.said, comparison), isUnknown(other.said, comparison)]
    if (isHeldUnknown && isOtherUnknown) return "both unknown"
    if (isHeldUnknown && !(yield* denies(held, other.said, comparison))) return "held unknown"
    if (isOtherUnknown && !(yield* denies(other, held.said, comparison))) return "other unknown"
    return "contradiction"
  })

  /** True if the statement takes a side against another one. It must know the answer, or should know that of the other side. */
  const backs = Effect.fnUntraced(function* <A>(
    one: Statement<A>,
    [side, against]: readonly [Statement<A>, Statement<A>],
    comparison: Comparison<A>
  ) {
    const relation = yield* relate(side, one, comparison)
    if (!isUnknown(one.said, comparison)) return relation === "same"
    const isAgreed = relation === "same" || relation === "both unknown"
    return isAgreed && (yield* denies(one, against.said, comparison))
  })

  return { backs, relate }
}

export interface Corroboration {
  /**
   * Runs the read. `corroborate` runs it again on an endpoint that did not answer it. It returns the answer if the second one is equal, or
   * if no other endpoint answers. Of an unknown and a known answer, the known one counts, unless the other endpoint has its block. An
   * endpoint without the block that the read names does not know the answer. The reads inside a read that is compared are not compared
   * again. An answer that no endpoint is known to have given needs two endpoints.
   */
  readonly attested: <A, E>(
    read: Effect.Effect<A, E>,
    comparison?: Comparison<A>
  ) => Effect.Effect<Attested<A, E | Contradiction>, E>
}

const isBlockUnknown = (failure: unknown): boolean =>
  Predicate.hasProperty(failure, "isBlockUnknown") && failure.isBlockUnknown === true

/** Makes a function that runs a read on one endpoint only. Its answer is undefined if the endpoint fails or is late. */
const makeAskOnly = () => {
  /** UNIX milliseconds of the last read that an endpoint did not finish in time. */
  const silentAt = new Map<Endpoint, number>()

  const isSilent = (endpoint: Endpoint, now: number): boolean => {
    const at = silentAt.get(endpoint)
    return at !== undefined && isWithin(SILENCE_MILLIS, at, now)
  }

  return Effect.fnUntraced(function* <A, E>(
    endpoint: Endpoint,
    read: Effect.Effect<A, E>,
    { needsState = false }: Comparison<A>
  ): Effect.fn.Return<Said<A> | undefined> {
    if (isSilent(endpoint, yield* Clock.currentTimeMillis)) return undefined
    const choice = { only: endpoint, answered: new Set<Endpoint>(), needsState }
    const outcome = yield* Effect.result(Effect.provideService(read, Choice.Current, choice)).pipe(
      Effect.timeoutOption(ANSWER_MILLIS)
    )
    if (Option.isNone(outcome)) {
      silentAt.set(endpoint, yield* Clock.currentTimeMillis)
      return undefined
    }
    if (outcome.value._tag === "Success") return Option.some(outcome.value.success)
    return isBlockUnknown(outcome.value.failure) ? Option.none() : undefined
  })
}

const namesOf = ({ by }: Statement<unknown>): ReadonlyArray<string> => by.map(({ name }) => name)

/** The side of a contradiction that more endpoints take. Fails if there is none. */
const elect = Effect.fnUntraced(function* <A>(one: Statement<A>, other: Statement<A>) {
  const [winner, loser] = one.votes > other.votes ? [one, other] : [other, one]
  if (winner.votes < 2 || loser.votes > 1 || Option.isNone(winner.said)) {
    return yield* new Contradiction({ endpoints: [...namesOf(one), ...namesOf(other)] })
  }
  yield* Effect.logWarning("endpoint.outvoted").pipe(
    Effect.annotateLogs({ outvoted: namesOf(loser).join(", "), endpoints: namesOf(winner).join(", ") })
  )
  return winner.said.value
})

export const make = (health: Health, heightFor: HeightFor): Corroboration => {
  const askOnly = makeAskOnly()
  const { backs, relate } = makeCompare(health, heightFor)

  const joined = <A>(side: Statement<A>, other: Statement<A>): Statement<A> => ({
    said: side.said,
    by: [...new Set([...side.by, ...other.by])],
    votes: side.votes + 1
  })

  /** The statement of one endpoint, with its relation to the other one. */
  const ask = Effect.fnUntraced(function* <A, E>(
    endpoint: Endpoint,
    read: Effect.Effect<A, E>,
    held: Statement<A>,
    comparison: Comparison<A>
  ) {
    const said = yield* askOnly(endpoint, read, comparison)
    if (said === undefined) return undefined
    const other: Statement<A> = { said, by: [endpoint], votes: 1 }
    const relation = yield* relate(held, other, comparison)
    if (Option.isSome(said) || relation !== "contradiction") return { other, relation }
    // Of the nodes behind a load balancer, another one may have the block.
    const again = yield* askOnly(endpoint, read, comparison)
    if (again === undefined || Option.isNone(again)) return { other, relation }
    const second = { ...other, said: again }
    return { other: second, relation: yield* relate(held, second, comparison) }
  })

  const corroborate = Effect.fnUntraced(function* <A, E>(
    read: Effect.Effect<A, E>,
    answer: A,
    first: Statement<A>,
    comparison: Comparison<A>
  ): Effect.fn.Return<A, Contradiction> {
    const ordered = health.ordered(yield* Priority.Current, yield* Clock.currentTimeMillis)
    const others = ordered.filter((endpoint) => !first.by.includes(endpoint))
    // Each of several endpoints may have given a part of the answer, so that each could be the one that lies.
    const parts = first.by.length === 1 ? [] : ordered.filter((endpoint) => first.by.includes(endpoint))
    let held: Statement<A> = first
    let rival: Statement<A> | undefined
    for (const endpoint of [...others, ...parts]) {
      const asked = yield* ask(endpoint, read, held, comparison)
      if (asked === undefined) continue
      const { other, relation } = asked
      if (rival !== undefined) {
        const sides = [held, rival] as const
        if (yield* backs(other, sides, comparison)) held = joined(held, other)
        if (yield* backs(other, [sides[1], sides[0]], comparison)) rival = joined(rival, other)
      } else if (relation === "contradiction") rival = other
      else if (relation === "held unknown") held = other
      else if (relation === "same") {
        held = joined(held, other)
        if (others.includes(endpoint) && (first.by.length > 0 || held.votes > 1)) break
      }
    }
    if (rival !== undefined) return yield* elect(held, rival)
    return Option.getOrElse(held.said, () => answer)
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
      return {
        answer,
        corroborate: Effect.suspend(() => {
          const by = [...answered]
          const first = { said: Option.some(answer), by, votes: by.length === 1 ? 1 : 0 }
          return corroborate(read, answer, first, comparison)
        })
      }
    })
  }
}
