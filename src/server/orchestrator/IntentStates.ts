/**
 * Reads states of intents for clients. Simultaneous reads are one query, and all followers share one query per interval, so the
 * load on the database does not grow with the number of clients. Polling sees what any process wrote, and misses nothing after
 * a lost connection.
 */
import {
  Deferred,
  Duration,
  Effect,
  Exit,
  Latch,
  Option,
  Queue,
  Request,
  RequestResolver,
  type Scope,
  Stream
} from "effect"
import { type FailureReason, isTerminal } from "../../domain/Intent.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import type { Quote } from "../../domain/Quote.ts"
import type { Intents, IntentState } from "../../ports/orchestrator/Intents.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Background from "../../runtime/Background.ts"
import { EndOfStreams } from "../shared/Stopping.ts"

/** Maximum number of ids in one query. */
const MAX_IDS = 200

/** Interval between reads of followed intents, and thus the maximum delay of a change. */
const POLL = Duration.millis(250)

/** Maximum time that a client follows an intent, because a quote may never be submitted. The client may reconnect. */
const LONGEST_FOLLOWING = Duration.minutes(30)

/** Number of quotes that are kept beside those of followed intents, because they never change and clients ask often. */
const KEPT_QUOTES = 5_000

/** A state, with its quote, and the reason of the failure that waits for the chain's proof. */
export interface ShownState extends IntentState, Partial<Omit<Quote, keyof IntentState>> {
  readonly pendingFailureReason?: FailureReason
}

export interface IntentStates {
  /** None if the intent is unknown. */
  readonly find: (id: string) => Effect.Effect<Option.Option<ShownState>, StoreUnavailable>
  /** The given state and every later one. Ends after a final state, and when the server stops. */
  readonly follow: (state: ShownState) => Stream.Stream<ShownState>
}

class StateOf extends Request.Class<{ readonly id: string }, Option.Option<ShownState>, StoreUnavailable> {}

const same = (a: ShownState, b: ShownState): boolean =>
  a.status === b.status &&
  a.txHash === b.txHash &&
  a.deliveryTxHash === b.deliveryTxHash &&
  a.amountOut === b.amountOut &&
  a.failureReason === b.failureReason &&
  a.refund?.txHash === b.refund?.txHash &&
  a.arrivedInstead?.amount === b.arrivedInstead?.amount &&
  a.pendingFailureReason === b.pendingFailureReason &&
  a.waitingFor === b.waitingFor

interface Quotes {
  /** The states with the quotes of their intents. Both are read side by side if a quote is not kept. */
  readonly withQuotes: <A, E>(
    ids: ReadonlyArray<string>,
    states: Effect.Effect<A, E>
  ) => Effect.Effect<readonly [A, ReadonlyMap<string, Quote | undefined>], E | StoreUnavailable>
  /** Keeps the quote of an intent until `release`, whatever others are read. */
  readonly hold: (id: string) => void
  readonly release: (id: string) => void
}

/** Reads each quote once, as long as it is kept. */
const makeQuotes = (intents: Intents["Service"]): Quotes => {
  const kept = LatestMap.make<string, Quote>(KEPT_QUOTES)
  /** Quotes of followed intents. Each poll needs all of them, so a limit below their number would have all of them read again. */
  const held = new Map<string, Quote | undefined>()

  const known = (id: string): Quote | undefined => held.get(id) ?? kept.get(id)
  const keep = (id: string, quote: Quote) => (held.has(id) ? held.set(id, quote) : kept.set(id, quote))

  return {
    withQuotes: (ids, states) => {
      // Looked up before the store is asked, since other reads may take the places of these quotes meanwhile.
      const quotes = new Map(ids.map((id) => [id, known(id)]))
      const unknown = ids.filter((id) => quotes.get(id) === undefined)
      if (unknown.length === 0) return Effect.map(states, (read) => [read, quotes] as const)
      const reading = Effect.map(intents.quotes(unknown), (read) => {
        for (const [id, quote] of read) {
          quotes.set(id, quote)
          keep(id, quote)
        }
        return quotes
      })
      return Effect.all([states, reading], { concurrency: 2 })
    },
    hold: (id) => {
      held.set(id, known(id))
      kept.delete(id)
    },
    release: (id) => {
      const quote = held.get(id)
      held.delete(id)
      if (quote !== undefined) kept.set(id, quote)
    }
  }
}

/** Makes `read(ids)`, which reads the states of the known ones among the ids together. */
const makeRead = (intents: Intents["Service"], { withQuotes }: Quotes) => {
  return Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const [states, quotes] = yield* withQuotes(ids, intents.states(ids))
    const open = states.flatMap(({ id, status }) => (status === "submitted" ? [id] : []))
    const reasons: ReadonlyMap<string, FailureReason> =
      open.length === 0 ? new Map<string, FailureReason>() : yield* intents.givenUpReasons(open)
    const shown = (state: IntentState): ShownState => {
      const reason = reasons.get(state.id)
      return { ...quotes.get(state.id), ...state, ...(reason === undefined ? {} : { pendingFailureReason: reason }) }
    }
    return new Map(states.map((state) => [state.id, shown(state)]))
  })
}

type Reads = ReadonlyMap<string, Exit.Exit<Option.Option<ShownState>>>

/**
 * Makes `readEach(ids)`. A row that cannot be read kills the read of all rows, so the ids are then halved until it is alone. Only its own
 * id fails.
 */
const makeReadEach = (intents: Intents["Service"], quotes: Quotes) => {
  const read = makeRead(intents, quotes)

  const readEach = (ids: ReadonlyArray<string>): Effect.Effect<Reads, StoreUnavailable> =>
    read(ids).pipe(
      Effect.map((states) => new Map(ids.map((id) => [id, Exit.succeed(Option.fromUndefinedOr(states.get(id)))]))),
      Effect.catchDefect((defect): Effect.Effect<Reads, StoreUnavailable> => {
        if (ids.length <= 1) return Effect.succeed(new Map(ids.map((id) => [id, Exit.die(defect)])))
        const middle = Math.floor(ids.length / 2)
        return merged([ids.slice(0, middle), ids.slice(middle)])
      })
    )
  const merged = (parts: ReadonlyArray<ReadonlyArray<string>>) =>
    Effect.map(Effect.forEach(parts, readEach), (reads): Reads => new Map(reads.flatMap((each) => [...each])))

  /** Reads the ids of `alone` one by one, and the others together. */
  return (ids: ReadonlyArray<string>, alone: ReadonlySet<string>) => {
    const together = ids.filter((id) => !alone.has(id))
    const single = ids.flatMap((id) => (alone.has(id) ? [[id]] : []))
    return merged(together.length === 0 ? single : [together, ...single])
  }
}

/** Makes `find(id)`. Simultaneous calls are one read, apart from those of the ids in `alone`. */
const makeFind = (intents: Intents["Service"], quotes: Quotes, alone: ReadonlySet<string>): IntentStates["find"] => {
  const readEach = makeReadEach(intents, quotes)
  const resolver = RequestResolver.make<StateOf>(
    Effect.fnUntraced(function* (entries) {
      const reads = yield* readEach([...new Set(entries.map(({ request }) => request.id))], alone)
      for (const entry of entries) entry.completeUnsafe(reads.get(entry.request.id) ?? Exit.succeed(Option.none()))
    })
  ).pipe(RequestResolver.batchN(MAX_IDS))
  return (id) => Effect.request(new StateOf({ id }), resolver)
}

type Follower = Queue.Queue<ShownState>

export const make = Effect.fnUntraced(function* (
  intents: Intents["Service"]
): Effect.fn.Return<IntentStates, never, Scope.Scope | EndOfStreams> {
  const followers = new Map<string, Set<Follower>>()
  /** Followed intents that the last poll could not read. */
  const unreadable = new Set<string>()
  const quotes = makeQuotes(intents)
  const find = makeFind(intents, quotes, unreadable)
  const ending = yield* EndOfStreams
  /** Open while somebody follows: without a follower, nothing is to be read. */
  const followed = yield* Latch.make()

  /** Logs only the first failure of an intent in a row. */
  const failed = (id: string, defect: unknown) =>
    Effect.suspend(() => {
      if (unreadable.has(id) || !followers.has(id)) return Effect.void
      unreadable.add(id)
      return Effect.annotateLogs(Effect.logError("intent.unreadable"), { intentId: id, detail: String(defect) })
    })

  const tell = ([id, queues]: readonly [string, ReadonlySet<Follower>]) =>
    find(id).pipe(
      Effect.tap(() => Effect.sync(() => unreadable.delete(id))),
      Effect.flatMap((found) =>
        Option.isNone(found)
          ? Effect.void
          : Effect.forEach(queues, (queue) => Queue.offer(queue, found.value), { discard: true })
      ),
      Effect.catchDefect((defect) => failed(id, defect))
    )

  const poll = Effect.suspend(() => Effect.forEach(followers, tell, { concurrency: "unbounded", discard: true }))
  // The poll waits for a follower and for its interval by itself.
  yield* Background.loop(
    Background.supervisor("intent states"),
    { pauseMillis: 0 },
    followed.whenOpen(Effect.delay(poll, POLL))
  )

  const joined = Effect.fnUntraced(function* (id: string) {
    const queue = yield* Queue.sliding<ShownState>(1)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const standing = followers.get(id)
        if (standing === undefined) {
          followers.set(id, new Set([queue]))
          quotes.hold(id)
        } else standing.add(queue)
        followed.openUnsafe()
      }),
      () =>
        Effect.sync(() => {
          const standing = followers.get(id)
          standing?.delete(queue)
          if (standing?.size === 0) {
            followers.delete(id)
            quotes.release(id)
            unreadable.delete(id)
          }
          if (followers.size === 0) followed.closeUnsafe()
        })
    )
    return Stream.fromQueue(queue)
  })

  const follow: IntentStates["follow"] = (state) =>
    isTerminal(state.status)
      ? Stream.succeed(state)
      : Stream.unwrap(joined(state.id)).pipe(
          Stream.prepend([state]),
          Stream.changesWith(same),
          Stream.takeUntil(({ status }) => isTerminal(status)),
          Stream.interruptWhen(Effect.raceFirst(Deferred.await(ending), Effect.sleep(LONGEST_FOLLOWING)))
        )

  return { find, follow }
})
