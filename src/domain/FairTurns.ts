/**
 * Turns of requests at a process that is late: its event loop starts tasks with a delay, because requests need more CPU than there
 * is. Pure and total. Each event changes the state, and says which requests begin and which are refused.
 *
 * While the process keeps up, every request begins at once. While it is late, requests of a lower standing than others of the last
 * seconds share the room, a number of places that shrinks until the process keeps up again. The last place shrinks, too: a rest
 * follows each request that had it, of as long as the request took or three times as long. Those that wait begin by standing, and
 * within a standing each client network has its turn. Every fourth turn belongs to the request that has waited longest, so that
 * none starves.
 *
 * A crowd that comes at once would make the process late before anything could be measured. So beside a better standing the lower
 * ones begin one owner after another, with a few requests each: some milliseconds apart at first, nearer to each other while the
 * process keeps up, and further apart as soon as it feels them.
 */

/**
 * Standing of a request, best first. `paid`: listed tokens of an owner with a settled sweep. `listed`: listed tokens of any other
 * owner. `unlisted`: a token is not on the operator's lists.
 */
export const STANDINGS = ["paid", "listed", "unlisted"] as const
export type Standing = (typeof STANDINGS)[number]

export interface Ticket {
  /** Number of the request, which grows with each arrival. */
  readonly number: number
  /** Position in {@link STANDINGS}. */
  readonly rank: number
  /** Network of the client. Clients of unknown networks share one. */
  readonly network: string
  readonly owner: string
  /** Turn of its network at the earliest, see {@link roundOf}. */
  readonly round: number
}

/** A ticket whose request has begun. */
export interface Begun extends Ticket {
  /** Monotonic milliseconds. */
  readonly sinceMs: number
}

export interface Turns {
  /** Requests of lower standing that may run at once. Below 1: the share of the time in which one may run. */
  readonly room: number
  /** Time before which no request of lower standing begins. */
  readonly restUntilMs: number
  /**
   * The last owner of lower standing whose request began, the time before which none of another owner does, and the milliseconds between
   * the two.
   */
  readonly spaced: { readonly owner: string; readonly untilMs: number; readonly millis: number }
  /** Monotonic milliseconds, as all times here. */
  readonly reviewedAtMs: number
  /** Time of the last arrival by rank. */
  readonly arrivedAtMs: ReadonlyArray<number>
  readonly running: ReadonlyArray<Begun>
  readonly waiting: ReadonlyArray<Ticket>
  /** Round of the latest turn. */
  readonly round: number
  /** Number of requests that began after they had waited. */
  readonly turns: number
}

export interface Arrival {
  readonly _tag: "Arrived"
  readonly number: number
  readonly standing: Standing
  readonly network: string
  readonly owner: string
}

export type Event =
  | Arrival
  /** The request has finished, or it waits no more. */
  | { readonly _tag: "Ended"; readonly number: number }
  /** A rest may be over. */
  | { readonly _tag: "Rested" }

/** Measurement at an event. */
export interface Present {
  readonly nowMs: number
  /** Mean delay of tasks of the event loop, in milliseconds. */
  readonly delayMillis: number
}

export interface Step {
  readonly turns: Turns
  /** Numbers of the requests that begin. */
  readonly begun: ReadonlyArray<number>
  /** Numbers of the requests that are refused because too many wait. */
  readonly refused: ReadonlyArray<number>
}

/** Requests that run at once at most. They need a few seconds of CPU together. */
export const MOST_RUNNING = 128

/** Requests that wait at most. More would wait for longer than a response may take. */
export const MOST_WAITING = 256

/** Mean delay above which the process is late. A process with idle CPU has less than one millisecond. */
export const LATE_MILLIS = 3

/** Time after the last request of a standing in which lower ones stay behind it. */
const PROTECTED_MILLIS = 2_000

/** Time between two changes of the room. */
const REVIEW_MILLIS = 250

/** Least share of the time for requests of lower standing. */
export const LEAST_ROOM = 1 / 4

/** Longest rest. A request that took long has waited for others most of that time. */
export const MOST_REST_MILLIS = 300

/**
 * Time between the beginnings of two owners of lower standing, in milliseconds: first two to three times the CPU of
 * a quote, since the chain's node and the database work for it, too; then down to the least while the process keeps up.
 */
export const SPACING_MILLIS = 50
export const LEAST_SPACING_MILLIS = 1
export const MOST_SPACING_MILLIS = 100

/** Each beginning that is not late shortens the time to this part of it. */
const SHORTENED = 0.98

/** The delay of a late process is added to the first time so often. */
const SPACING_DELAYS = 8

/** Requests of one owner of lower standing that need not wait for each other. More of them begin as those of other owners do. */
export const MOST_TOGETHER = 4

/** One of so many turns belongs to the request that has waited longest. */
const OLDEST_EVERY = 4

export const START: Turns = {
  room: MOST_RUNNING,
  restUntilMs: Number.NEGATIVE_INFINITY,
  spaced: { owner: "", untilMs: Number.NEGATIVE_INFINITY, millis: SPACING_MILLIS },
  reviewedAtMs: 0,
  arrivedAtMs: STANDINGS.map(() => Number.NEGATIVE_INFINITY),
  running: [],
  waiting: [],
  round: 0,
  turns: 0
}

/** Time at which a request that waits may begin at the latest, as far as rests are concerned. */
export const restedAtMs = ({ restUntilMs, spaced }: Turns): number => Math.max(restUntilMs, spaced.untilMs)

/** True if standings matter: the process is late, or the room has not grown again since it was. */
export const isCrowded = ({ room, waiting }: Turns, delayMillis: number): boolean =>
  delayMillis > LATE_MILLIS || room < MOST_RUNNING || waiting.length > 0

/** Best rank of the last seconds. Requests of lower standing are those with a greater rank. */
const bestRank = ({ arrivedAtMs, running, waiting }: Turns, nowMs: number): number => {
  const recent = arrivedAtMs.findIndex((at) => nowMs - at <= PROTECTED_MILLIS)
  const ranks = [...running, ...waiting].map(({ rank }) => rank)
  return Math.min(recent < 0 ? STANDINGS.length : recent, ...ranks)
}

const lowerRunning = ({ running }: Turns, best: number): number => running.filter(({ rank }) => rank > best).length

/** Halves the room while the process is late, and adds a place, or doubles a share of one, while it keeps up. */
const reviewed = (turns: Turns, { delayMillis, nowMs }: Present): Turns => {
  if (nowMs - turns.reviewedAtMs < REVIEW_MILLIS) return turns
  const { room } = turns
  const used = Math.min(room, lowerRunning(turns, bestRank(turns, nowMs)))
  const less = room > 1 ? Math.max(1, Math.floor(used / 2)) : Math.max(LEAST_ROOM, room / 2)
  const more = room < 1 ? room * 2 : Math.min(MOST_RUNNING, room + 1)
  return { ...turns, room: delayMillis > LATE_MILLIS ? less : more, reviewedAtMs: nowMs }
}

/** Begins the rest that follows a request of lower standing while there is less room than one place. */
const resting = (turns: Turns, ended: Begun | undefined, nowMs: number): Turns => {
  if (ended === undefined || turns.room >= 1 || ended.rank <= bestRank(turns, nowMs)) return turns
  const rest = Math.min(MOST_REST_MILLIS, (nowMs - ended.sinceMs) * (1 / turns.room - 1))
  return { ...turns, restUntilMs: Math.max(turns.restUntilMs, nowMs + rest) }
}

/**
 * Round of a network's next request: after its requests that wait or run, and not before the present round. So a network with many
 * requests has one turn when another has one.
 */
const roundOf = ({ round, running, waiting }: Turns, network: string): number =>
  [...running, ...waiting].reduce(
    (latest, each) => (each.network === network ? Math.max(latest, each.round + 1) : latest),
    round
  )

/** Order of turns. */
const before = (a: Ticket, b: Ticket): number => a.rank - b.rank || a.round - b.round || a.number - b.number

const foremost = (tickets: ReadonlyArray<Ticket>, order: (a: Ticket, b: Ticket) => number): Ticket | undefined =>
  tickets.reduce<Ticket | undefined>(
    (first, each) => (first === undefined || order(each, first) < 0 ? each : first),
    undefined
  )

/** The request whose turn is next; undefined if none may begin now. */
const next = (turns: Turns, nowMs: number): Ticket | undefined => {
  if (turns.waiting.length === 0 || turns.running.length >= MOST_RUNNING) return undefined
  const best = bestRank(turns, nowMs)
  const isRoom = lowerRunning(turns, best) < turns.room && nowMs >= turns.restUntilMs
  const { owner: last, untilMs } = turns.spaced
  const mayJoin = turns.running.filter(({ owner }) => owner === last).length < MOST_TOGETHER
  const mayBegin = ({ owner, rank }: Ticket): boolean =>
    rank <= best || (isRoom && (nowMs >= untilMs || (mayJoin && owner === last)))
  const free = turns.waiting.filter(mayBegin)
  const isOldest = turns.turns % OLDEST_EVERY === OLDEST_EVERY - 1
  return foremost(free, isOldest ? (a, b) => a.number - b.number : before)
}

const without = <A extends Ticket>(tickets: ReadonlyArray<A>, number: number): ReadonlyArray<A> =>
  tickets.filter((each) => each.number !== number)

/** Time from the beginning of an owner of lower standing to the next one's, in milliseconds. */
const spacing = ({ spaced }: Turns, owner: string, { delayMillis, nowMs }: Present): number => {
  if (delayMillis > LATE_MILLIS) return Math.min(MOST_SPACING_MILLIS, SPACING_MILLIS + SPACING_DELAYS * delayMillis)
  if (nowMs - spaced.untilMs > PROTECTED_MILLIS) return SPACING_MILLIS
  return owner === spaced.owner ? spaced.millis : Math.max(LEAST_SPACING_MILLIS, spaced.millis * SHORTENED)
}

const begin = (turns: Turns, ticket: Ticket, isNew: boolean, present: Present): Turns => {
  const { nowMs } = present
  const waiting = without(turns.waiting, ticket.number)
  const isLower = ticket.rank > bestRank(turns, nowMs)
  const millis = spacing(turns, ticket.owner, present)
  return {
    ...turns,
    waiting,
    spaced: isLower ? { owner: ticket.owner, untilMs: nowMs + millis, millis } : turns.spaced,
    running: [...turns.running, { ...ticket, sinceMs: nowMs }],
    // Nobody is behind anybody once nobody waits.
    round: waiting.length === 0 ? 0 : Math.max(turns.round, ticket.round),
    turns: turns.turns + (isNew ? 0 : 1)
  }
}

/** Gives turns until none may begin. The request that has just arrived does not count as one that has waited. */
const given = (
  start: Turns,
  present: Present,
  arrived: number | undefined
): { readonly turns: Turns; readonly begun: ReadonlyArray<number> } => {
  let turns = start
  const begun: Array<number> = []
  const { nowMs } = present
  for (let ticket = next(turns, nowMs); ticket !== undefined; ticket = next(turns, nowMs)) {
    begun.push(ticket.number)
    turns = begin(turns, ticket, ticket.number === arrived, present)
  }
  return { turns, begun }
}

/**
 * Refuses the last one in the order of turns if too many wait: a request of the network that waits with the most. No event adds more
 * than one.
 */
const bounded = (turns: Turns): { readonly turns: Turns; readonly refused: ReadonlyArray<number> } => {
  const last = turns.waiting.length > MOST_WAITING ? foremost(turns.waiting, (a, b) => before(b, a)) : undefined
  return last === undefined
    ? { turns, refused: [] }
    : { turns: { ...turns, waiting: without(turns.waiting, last.number) }, refused: [last.number] }
}

const changed = (turns: Turns, event: Event, nowMs: number): Turns => {
  if (event._tag === "Rested") return turns
  const { number } = event
  if (event._tag === "Ended") {
    const left = { ...turns, running: without(turns.running, number), waiting: without(turns.waiting, number) }
    return resting(
      left,
      turns.running.find((each) => each.number === number),
      nowMs
    )
  }
  const { network, owner, standing } = event
  const rank = STANDINGS.indexOf(standing)
  const ticket: Ticket = { number, rank, network, owner, round: roundOf(turns, network) }
  return {
    ...turns,
    arrivedAtMs: turns.arrivedAtMs.map((at, index) => (index === rank ? nowMs : at)),
    waiting: [...turns.waiting, ticket]
  }
}

/** Applies an event. */
export const step = (turns: Turns, event: Event, present: Present): Step => {
  const arrived = event._tag === "Arrived" ? event.number : undefined
  // A rest that ends late tells sooner than the mean does.
  const lateMillis = event._tag === "Rested" ? Math.max(0, present.nowMs - restedAtMs(turns)) : 0
  const felt = { ...present, delayMillis: Math.max(present.delayMillis, lateMillis) }
  const after = given(reviewed(changed(turns, event, present.nowMs), present), felt, arrived)
  const { refused, turns: left } = bounded(after.turns)
  return { turns: left, begun: after.begun, refused }
}
