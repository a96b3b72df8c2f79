/** Losses and gains of a finished transaction's sweeps, by class: the part of its cost that each caused against its fee's worth. */
import { Effect, Fiber, Schedule, Semaphore } from "effect"
import * as Chain from "../../domain/Chain.ts"
import { type ExposureClass, isOfFirstSweeps, outcome, parse, shares } from "../../domain/Exposure.ts"
import { ofMarket, ofReserved } from "../../domain/LossClasses.ts"
import { divided } from "../../domain/Money.ts"
import { type Bearer, parts } from "../../domain/SkippedSweeps.ts"
import type { Booking, Outcome } from "../../ports/orchestrator/Exposures.ts"
import { FeeValue } from "../../ports/orchestrator/FeeValue.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { CostPart, RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"

/** Fees of a transaction whose sale is rehearsed at once. */
const CONCURRENCY = 4

/**
 * Time in which the fees of a transaction are valued, in milliseconds. Until then its owners' next sweeps wait. A fee that has no answer by
 * then is worth what is known for certain, if anything, so that budgets count rather too much than too little.
 */
const VALUING_MILLIS = 30_000

/** Time after which a valuation that goes on gives its place to another fee, in milliseconds. */
const PLACE_MILLIS = 10_000

/** Pause before a fee is valued again that nodes did not value, in milliseconds. */
const RETRY_MILLIS = 3_000

/** True if a sale must be rehearsed to know the worth of the sweep's fee. */
export const isSold = (chain: Chain.Chain, { order }: Pick<Intent, "order">): boolean =>
  Chain.listedTier(chain, order.tokenIn) === "tier3"

/** A sweep of a finished transaction. */
export interface Finished {
  readonly intent: Intent
  readonly isSettled: boolean
  /** False if the mined version of the transaction does not have the sweep, such as a self-send. */
  readonly isCarried: boolean
  /** Wei that it cost at most, if it is proved that it paid nobody: the entry skipped it, or it failed before. */
  readonly skipCost?: bigint | undefined
}

const bearerOf = ({ intent, skipCost }: Finished): Bearer => ({ gas: intent.gas, skipCost })

/**
 * Worth of a settled sweep's fee in wei. A fee in a listed token is worth the value that its quote counted, or the cost if the quote
 * did not store it. `realisableFeeWei`: what a fee in an unlisted token sells for, since it may sell for nothing by now.
 */
const worthOf = (
  chain: Chain.Chain,
  { cover, order }: Pick<Intent, "cover" | "order">,
  cost: bigint,
  realisableFeeWei = 0n
): bigint => (isSold(chain, { order }) ? realisableFeeWei : (cover?.value ?? cost))

/**
 * The part of a transaction's cost that each sweep of its mined version bears, by its gas, or by what it cost if the entry skipped it. They
 * sum to the cost. A self-send has none.
 */
export const partsOf = (cost: bigint, sweeps: ReadonlyArray<Finished>): ReadonlyArray<CostPart> => {
  const carried = sweeps.filter(({ isCarried }) => isCarried)
  const costs = parts(cost, carried.map(bearerOf), divided)
  return carried.map(({ intent, isSettled }, index) => ({ intentId: intent.id, cost: costs[index] ?? 0n, isSettled }))
}

/** Begins the effect when a place is free, and holds the place until it ends, or for a limited time. */
const inPlace = Effect.fnUntraced(function* <A, E>(places: Semaphore.Semaphore, effect: Effect.Effect<A, E>) {
  const held = Effect.tap(Effect.forkChild(effect), (begun) => Effect.timeoutOption(Fiber.await(begun), PLACE_MILLIS))
  return yield* Fiber.join(yield* places.withPermit(held))
})

/**
 * Proceeds of a sale of the fee now. One that nobody can sell, or price, in time is worth what is known. So is one at once of which enough is
 * known for its part of the cost. One that sells for less later keeps what was known, since the fee recipient may have moved it.
 */
const saleOf = Effect.fnUntraced(function* (
  valuation: ReturnType<FeeValue["Service"]["realisable"]>,
  part: bigint,
  places: Semaphore.Semaphore
) {
  let known = 0n
  const valued = Effect.tapErrorTag(valuation, "FeeUncertain", ({ atLeast }) =>
    Effect.sync(() => {
      if (atLeast > known) known = atLeast
    })
  )
  // A node that does not answer says nothing about the fee. The pause holds no place.
  const sale = Effect.retry(inPlace(places, valued), {
    schedule: Schedule.spaced(RETRY_MILLIS),
    until: (error) => error._tag === "FeeUncertain" && error.atLeast >= part
  })
  const proceeds = yield* Effect.orElseSucceed(Effect.timeout(sale, VALUING_MILLIS), () => 0n)
  return proceeds > known ? proceeds : known
})

interface Booked {
  readonly bookings: ReadonlyArray<Booking>
  readonly outcomes: ReadonlyArray<Outcome>
}

/** Adds up the bookings of each class. */
const summed = (bookings: ReadonlyArray<Booking>): ReadonlyArray<Booking> => {
  const sums = new Map<string, Booking>()
  for (const { earned, key, lost } of bookings) {
    const before = sums.get(key)
    sums.set(key, { key, lost: lost + (before?.lost ?? 0n), earned: earned + (before?.earned ?? 0n) })
  }
  return [...sums.values()]
}

/**
 * Makes `bookingsOf(client, transaction, cost, sweeps)`, with the outcomes of listed sweeps one by one. Sweeps of listed tokens are booked
 * only if they lost. Their owners and networks bear the loss of a sweep that failed on chain, and no other. A first sweep is known by its
 * reservation, which lasts until its transaction ends. Its loss counts once: for the unlisted classes that it reserved, or, if it is proved
 * that it paid nobody, for the classes of first sweeps and its owner.
 */
export const make = Effect.gen(function* () {
  const desk = yield* ExposureDesk.make
  const fees = yield* FeeValue

  /** Worth of the sweep's fee now. */
  const worthNow = (
    client: ChainClient,
    { intent, isSettled }: Finished,
    part: bigint,
    places: Semaphore.Semaphore
  ) => {
    if (!isSettled) return Effect.succeed(0n)
    if (!isSold(client.chain, intent)) return Effect.succeed(worthOf(client.chain, intent, part))
    const { feeAmount, tokenIn } = intent.order
    const sale = saleOf(fees.realisable(client, tokenIn, feeAmount), part, places)
    return Effect.map(sale, (wei) => worthOf(client.chain, intent, part, wei))
  }

  return Effect.fnUntraced(function* (
    client: ChainClient,
    { lane }: Pick<RelayTransaction, "lane">,
    cost: bigint,
    sweeps: ReadonlyArray<Finished>
  ) {
    const { chain } = client
    const places = yield* Semaphore.make(CONCURRENCY)
    const carried = sweeps.filter(({ isCarried }) => isCarried)
    const bearing = carried.length > 0 ? carried : sweeps
    const costs = parts(cost, bearing.map(bearerOf), shares)
    const ended = yield* Effect.forEach(
      bearing,
      (sweep, index) => {
        const part = costs[index] ?? cost
        const isListed = desk.isListed(chain, sweep.intent)
        return Effect.map(worthNow(client, sweep, part, places), (worth) => ({
          ...sweep,
          isListed,
          window: outcome(part, worth)
        }))
      },
      { concurrency: "unbounded" }
    )
    const losing = ended.filter(({ window }) => window.lost > 0n)
    const lost = losing.filter(({ isListed }) => isListed)
    const reserved = yield* desk.reserved(losing.map(({ intent }) => intent.id))
    const potsOf = ({ intent }: Finished) => reserved.get(intent.id) ?? []
    /** True for a first sweep that gave no gas to the account that it pays, so that this account cannot have caused the loss. */
    const isUnpaidFirst = (each: Finished): boolean =>
      (each.skipCost !== undefined || !each.isCarried) && potsOf(each).some(isOfFirstSweeps)
    const classesOf = (each: (typeof ended)[number]): ReadonlyArray<ExposureClass> => {
      const { intent, isCarried, isListed, isSettled } = each
      const classes = desk.classes(chain, intent, lane)
      if (isUnpaidFirst(each)) return isCarried ? ofReserved(classes, potsOf(each), false) : []
      if (!isListed) return classes
      return ofReserved(isSettled || !isCarried ? ofMarket(classes) : classes, potsOf(each))
    }
    /** True if its loss or gain counts for the classes of first sweeps and of batches that it reserved, and for no unlisted one. */
    const isOfPots = (each: (typeof ended)[number]): boolean =>
      isUnpaidFirst(each) || (each.isListed && !potsOf(each).some((key) => parse(key)?.scope === "unlisted"))
    return {
      bookings: summed(
        [...ended.filter(({ isListed }) => !isListed), ...lost].flatMap((each) =>
          classesOf(each).map((key) => ({ key, ...each.window }))
        )
      ),
      outcomes: ended.filter(isOfPots).map(({ intent, window }) => ({ intentId: intent.id, ...window }))
    } satisfies Booked
  })
})
