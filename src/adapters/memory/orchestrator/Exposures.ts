/** Exposure in memory, for tests. */
import { Clock, Effect, HashMap, Layer, Ref } from "effect"
import {
  admit,
  type Budgets,
  type Denied,
  type ExposureClass,
  isReserved,
  type Reservation,
  type Sums,
  type Window
} from "../../../domain/Exposure.ts"
import { type Claim, type Held, isClaim, isClaimed, replace } from "../../../domain/ExposureClaims.ts"
import { BURNING } from "../../../domain/Intent.ts"
import { DAY_MILLIS, HOUR_MILLIS, stepOf, windowStart } from "../../../domain/ExposureWindow.ts"
import { type Booking, crowded, Exposures, MOST_HOLDERS, type Outcome } from "../../../ports/orchestrator/Exposures.ts"
import { lookup, OrchestratorState, type State, type StoredExposure, type StoredSums } from "./OrchestratorState.ts"

const EMPTY: StoredSums = { open: 0n, steps: new Map() }

const change = (state: State, key: ExposureClass, next: (sums: StoredSums) => StoredSums): State => ({
  ...state,
  exposureSums: HashMap.set(state.exposureSums, key, next(lookup(state.exposureSums, key) ?? EMPTY))
})

const withOpen = (state: State, { classes, wei }: Omit<Reservation, "intentId">): State =>
  classes.reduce((acc, key) => change(acc, key, (sums) => ({ ...sums, open: sums.open + wei })), state)

/** Ends the reservations of these sweeps. */
export const ended = (state: State, intentIds: ReadonlyArray<string>): State =>
  intentIds.reduce((acc, id) => {
    const reserved = lookup(acc.exposures, id)
    return reserved === undefined
      ? acc
      : {
          ...withOpen(acc, { classes: reserved.classes, wei: -reserved.wei }),
          exposures: HashMap.remove(acc.exposures, id)
        }
  }, state)

const isFull = (reserved: StoredExposure | undefined, holder: string | undefined): boolean =>
  holder !== undefined &&
  reserved !== undefined &&
  reserved.holders.length >= MOST_HOLDERS &&
  !reserved.holders.includes(holder)

const withHolders = (state: State, id: string, reserved: StoredExposure): State => ({
  ...state,
  exposures: HashMap.set(state.exposures, id, reserved)
})

const isOfClaim = ({ holders }: StoredExposure): boolean => holders.some(isClaim)

/** Adds a submission to the reservations of these sweeps, except those of claims, those without holders and those with too many. */
const joined = (state: State, intentIds: ReadonlyArray<string>, holder: string, atMs: number): State =>
  intentIds.reduce((acc, id) => {
    const reserved = lookup(acc.exposures, id)
    if (reserved === undefined || reserved.holders.length === 0 || isOfClaim(reserved)) return acc
    if (isFull(reserved, holder)) return acc
    const holders = [...reserved.holders.filter((each) => each !== holder), holder]
    return withHolders(acc, id, { ...reserved, atMs, holders })
  }, state)

/** Withdraws a holder from the reservations of these sweeps, and ends those that nobody else holds. Those of `kept` stay without one. */
const withdrawn = (
  state: State,
  intentIds: ReadonlyArray<string>,
  holder: string,
  kept: ReadonlySet<string> = new Set()
): State =>
  intentIds.reduce((acc, id) => {
    const reserved = lookup(acc.exposures, id)
    if (reserved === undefined || !reserved.holders.includes(holder)) return acc
    const holders = reserved.holders.filter((each) => each !== holder)
    return holders.length > 0 || kept.has(id) ? withHolders(acc, id, { ...reserved, holders }) : ended(acc, [id])
  }, state)

/** Adds losses and gains to the present step. */
export const booked = (state: State, bookings: ReadonlyArray<Booking>, millis: number): State =>
  bookings.reduce(
    (acc, { earned, key, lost }) =>
      change(acc, key, ({ open, steps }) => {
        const before = steps.get(stepOf(millis)) ?? { lost: 0n, earned: 0n }
        const after: Window = { lost: before.lost + lost, earned: before.earned + earned }
        return { open, steps: new Map([...steps, [stepOf(millis), after]]) }
      }),
    state
  )

/** Bookings of the classes that sweeps of listed tokens have reserved. */
export const ofReserved = (state: State, outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Booking> =>
  outcomes.flatMap(({ intentId, ...window }) =>
    (lookup(state.exposures, intentId)?.classes ?? []).filter(isReserved).map((key) => ({ key, ...window }))
  )

const inWindow = ({ steps }: StoredSums, now: number, length: number): Window =>
  [...steps].reduce(
    (sum, [step, { earned, lost }]) =>
      step < windowStart(now, length) ? sum : { lost: sum.lost + lost, earned: sum.earned + earned },
    { lost: 0n, earned: 0n }
  )

const sumsOf = (state: State, key: ExposureClass, now: number): ReadonlyArray<readonly [ExposureClass, Sums]> => {
  const stored = lookup(state.exposureSums, key)
  if (stored === undefined) return []
  const [hour, day] = [inWindow(stored, now, HOUR_MILLIS), inWindow(stored, now, DAY_MILLIS)]
  return [[key, { open: stored.open, hour, day }]]
}

/** Ids of the intents that unfinished transactions carry. */
const carriedIn = (state: State): ReadonlySet<string> =>
  new Set(
    Array.from(HashMap.values(state.transactions)).flatMap(({ intentIds, status }) =>
      status === "final" ? [] : intentIds
    )
  )

/** Reservations of sweeps that no unfinished transaction carries. */
const uncarried = (state: State) => {
  const carried = carriedIn(state)
  return Array.from(HashMap.entries(state.exposures)).filter(([id]) => !carried.has(id))
}

/** Stores reservations of sweeps that have none. */
const stored = (state: State, all: ReadonlyArray<Held>): State =>
  all.reduce((acc, each) => {
    const { atMs, classes, holders, intentId, wei } = each
    return withHolders(withOpen(acc, each), intentId, { classes, wei, atMs, holders })
  }, state)

interface Request {
  readonly reservations: ReadonlyArray<Reservation>
  readonly budgets: Budgets
  readonly now: number
}

const sumsFor = (state: State, reservations: ReadonlyArray<Reservation>, now: number) =>
  new Map(reservations.flatMap(({ classes }) => classes).flatMap((key) => sumsOf(state, key, now)))

/** Reserves for a submission, or for nobody. */
const reservedFor = (
  state: State,
  { budgets, now, reservations }: Request,
  holder: string | undefined
): readonly [ReadonlyArray<Denied>, State] => {
  const ids = reservations.map(({ intentId }) => intentId)
  const without = holder === undefined ? ended(state, ids) : joined(state, ids, holder, now)
  const before = reservations.filter(({ intentId }) => HashMap.has(without.exposures, intentId))
  const full = before.filter(({ intentId }) => isFull(lookup(without.exposures, intentId), holder))
  const added = reservations.filter((each) => !before.includes(each))
  const { admitted, denied } = admit(added, budgets, sumsFor(without, added, now))
  const holders = holder === undefined ? [] : [holder]
  const next = stored(
    without,
    admitted.map((each) => ({ ...each, atMs: now, holders }))
  )
  return [[...full.map(crowded), ...denied], next]
}

/** Reserves for a claim, see `replace`. Reservations of unfinished transactions stay as they are. */
const reservedClaimed = (
  state: State,
  { budgets, now, reservations }: Request,
  claim: Claim
): readonly [ReadonlyArray<Denied>, State] => {
  const carried = carriedIn(state)
  const added = reservations.filter(({ intentId }) => !carried.has(intentId) || !HashMap.has(state.exposures, intentId))
  const before = added.flatMap(({ intentId }) => {
    const found = lookup(state.exposures, intentId)
    return found === undefined ? [] : [{ ...found, intentId }]
  })
  const without = ended(
    state,
    before.map(({ intentId }) => intentId)
  )
  const sums = sumsFor(without, [...added, ...before], now)
  const replaced = replace(added, budgets, sums, { before, claim, now })
  return [replaced.denied, stored(without, replaced.stored)]
}

const paid =
  (state: OrchestratorState["Service"]["state"]): Exposures["Service"]["paid"] =>
  (chainId, owners) =>
    Effect.map(Ref.get(state), ({ intents }) =>
      Array.from(HashMap.values(intents)).flatMap(({ givenUp, intent }) => {
        const { cover, failureReason, order, quote, status, txHash } = intent
        if (quote.sourceChainId !== chainId || !owners.includes(order.owner)) return []
        const reason = failureReason ?? (status === "submitted" ? givenUp?.reason : undefined)
        const isFailed = reason !== undefined && BURNING.includes(reason) && txHash !== undefined
        const isSettled = status === "settled_source" || status === "delivered"
        const value = cover?.value ?? 0n
        const sums = { settled: isSettled ? value : 0n, failed: isFailed ? value : 0n }
        return [{ owner: order.owner, token: order.tokenIn, ...sums }]
      })
    )

const make = Effect.map(OrchestratorState, ({ state }) => {
  const sums: Exposures["Service"]["sums"] = Effect.fnUntraced(function* (keys) {
    const now = yield* Clock.currentTimeMillis
    const current = yield* Ref.get(state)
    return new Map(keys.flatMap((key) => sumsOf(current, key, now)))
  })

  const reserved: Exposures["Service"]["reserved"] = (intentIds) =>
    Effect.map(
      Ref.get(state),
      (current) =>
        new Map(
          intentIds.flatMap((id) => {
            const found = lookup(current.exposures, id)
            return found === undefined ? [] : [[id, found.classes] as const]
          })
        )
    )

  const reserve: Exposures["Service"]["reserve"] = Effect.fnUntraced(function* (reservations, budgets, holder) {
    const now = yield* Clock.currentTimeMillis
    const request: Request = { reservations, budgets, now }
    return yield* Ref.modify(state, (current) =>
      holder !== undefined && isClaim(holder)
        ? reservedClaimed(current, request, holder)
        : reservedFor(current, request, holder)
    )
  })

  const largest: Exposures["Service"]["largest"] = Effect.fnUntraced(function* (limit) {
    const now = yield* Clock.currentTimeMillis
    const current = yield* Ref.get(state)
    return Array.from(HashMap.keys(current.exposureSums))
      .flatMap((key) => sumsOf(current, key, now))
      .map(([key, standing]) => ({ key, ...standing }))
      .filter(({ day, open }) => open > 0n || day.lost > 0n || day.earned > 0n)
      .toSorted((a, b) => descending(a.day.lost, b.day.lost) || descending(a.open, b.open) || (a.key < b.key ? -1 : 1))
      .slice(0, limit)
  })

  const prune: Exposures["Service"]["prune"] = (beforeMs) =>
    Ref.update(state, (current) =>
      ended(
        current,
        uncarried(current).flatMap(([id, { atMs }]) => (atMs < beforeMs ? [id] : []))
      )
    )

  const release: Exposures["Service"]["release"] = Effect.fnUntraced(function* (intentIds, claim) {
    const now = yield* Clock.currentTimeMillis
    const isFree = ([id, { holders }]: readonly [string, StoredExposure]) =>
      intentIds.includes(id) && !isClaimed(holders, now)
    yield* Ref.update(state, (current) =>
      claim === undefined
        ? ended(
            current,
            uncarried(current)
              .filter(isFree)
              .map(([id]) => id)
          )
        : withdrawn(current, intentIds, claim, carriedIn(current))
    )
  })

  const releaseQuoted: Exposures["Service"]["releaseQuoted"] = (intentIds, holder) =>
    Ref.update(state, (current) =>
      withdrawn(
        current,
        intentIds.filter((id) => lookup(current.intents, id)?.intent.status === "quoted"),
        holder
      )
    )

  return Exposures.of({
    sums,
    reserved,
    reserve,
    release,
    releaseQuoted,
    paid: paid(state),
    largest,
    prune
  })
})

const descending = (a: bigint, b: bigint): number => (a === b ? 0 : a > b ? -1 : 1)

export const layerNoDeps = Layer.effect(Exposures, make)

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = layerNoDeps.pipe(Layer.provide(OrchestratorState.layer))
