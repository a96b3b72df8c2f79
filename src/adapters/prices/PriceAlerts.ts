/**
 * The alert of a listed token whose price deviates. Each process judges by its own sources. It renews the alert from the reading that shows
 * the deviation until one that does not. Any process takes over an alert that nobody renews, and reads the price until it has proof of the
 * end (domain/PriceDeviation). So no process clears what another one sees, and a restart leaves no alert behind. Renewals have the form of
 * `orchestrator/shared/RenewedAlerts.ts`.
 */
import { Clock, Effect, Option } from "effect"
import * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as PriceDeviation from "../../domain/PriceDeviation.ts"
import type { Kept } from "../../domain/PriceReview.ts"
import { NATIVE } from "../../domain/Token.ts"
import * as Usd from "../../domain/Usd.ts"
import type { PricedToken } from "../../ports/orchestrator/Prices.ts"
import { type Alert, Alerts, type NewAlert } from "../../ports/shared/Alerts.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"

const KIND = "price_deviates"

/** Pause between two renewals of what this process sees, in milliseconds. */
const RENEWAL_MILLIS = 5_000

/** Pause between two reviews of what stands, in milliseconds. */
const REVIEW_MILLIS = 10_000

/** Time after the last renewal from which nobody sees the deviation any more, in milliseconds. Four renewals were missed. */
const LEFT_MILLIS = 20_000

/** Time after the last reading of a deviation from which a review reads the price itself, in milliseconds. */
const UNREAD_MILLIS = 60_000

/** Time for which a deviation is renewed that no reading has repeated, in milliseconds. The sources do not answer so long. */
const FINDING_MILLIS = 600_000

/** Prices that a review reads at once. */
const CONCURRENCY = 4

const keyOf = (chainId: ChainId, token: Address.Address): string => `${KIND}:${chainId}:${token}`

const messageOf = (subject: string, isWild: boolean, percent: number): string =>
  isWild
    ? `Sources differ by more than ${percent} % about the price of ${subject}. No new price is kept as the last good one until they agree. Check the pools and the other sources.`
    : `The price of ${subject} is more than ${percent} % from its last good value, by one source alone. The last good value counts until a second source confirms the new one, or for ten minutes. Check the pools, and configure a second source.`

const alertOf = (
  chain: Chain.Chain,
  token: Address.Address,
  { finding, price }: PriceDeviation.Reading,
  good: Kept | undefined,
  { maxDeviationBps }: PriceDeviation.Rules
): NewAlert => {
  const symbol = Option.match(Chain.token(chain, token), { onNone: () => token, onSome: (info) => info.symbol })
  return {
    key: keyOf(chain.id, token),
    severity: "warning",
    kind: KIND,
    message: messageOf(`${symbol} on ${chain.name}`, finding === "wild", maxDeviationBps / 100),
    details: {
      chainId: chain.id,
      token,
      ...(good === undefined ? {} : { goodUsd: Usd.format(good.price) }),
      newUsd: Usd.format(price)
    }
  }
}

const renewalOf = ({ details, id }: Alert): string => `${id} ${details["renewedAtMs"]}`

/**
 * Makes `read(alerts, nowMs)`: keys of the alerts whose last renewal this process saw long ago, and the alerts that were renewed since the
 * last call. Clocks of processes need not agree.
 */
const makeRenewals = () => {
  let seen: ReadonlyMap<string, { readonly renewal: string; readonly sinceMs: number }> = new Map()
  return (alerts: ReadonlyArray<Alert>, nowMs: number) => {
    const before = seen
    const isSame = (alert: Alert) => before.get(alert.key)?.renewal === renewalOf(alert)
    seen = new Map(
      alerts.map((alert) => {
        const known = isSame(alert) ? before.get(alert.key) : undefined
        return [alert.key, known ?? { renewal: renewalOf(alert), sinceMs: nowMs }] as const
      })
    )
    return {
      left: new Set([...seen].flatMap(([key, { sinceMs }]) => (nowMs - sinceMs >= LEFT_MILLIS ? [key] : []))),
      renewed: alerts.filter((alert) => !isSame(alert))
    }
  }
}

/** Makes the memory of what this process sees itself, and renews the alerts of the deviations in it. */
const makeWatches = Effect.fnUntraced(function* (rules: PriceDeviation.Rules) {
  const alerts = yield* Alerts
  const watches = new Map<string, PriceDeviation.Watch>()
  /** Newest alert of each token whose price deviates, as this process sees it. */
  const own = new Map<string, NewAlert>()
  /** UNIX milliseconds of the last renewal by this process. */
  const renewedAt = new Map<string, number>()

  const renew = Effect.fnUntraced(function* (alert: NewAlert) {
    const renewedAtMs = yield* Clock.currentTimeMillis
    renewedAt.set(alert.key, renewedAtMs)
    yield* alerts.raise({ ...alert, details: { ...alert.details, renewedAtMs } })
  })

  /** Waits for the store only where a deviation begins. */
  const note = Effect.fnUntraced(function* (
    chain: Chain.Chain,
    token: Address.Address,
    reading: PriceDeviation.Reading | undefined,
    good: Kept | undefined
  ) {
    if (reading === undefined) return
    const key = keyOf(chain.id, token)
    const before = watches.get(key)
    const watch = PriceDeviation.next(before, reading, yield* Clock.currentTimeMillis, rules)
    if (watch === undefined) return
    watches.set(key, watch)
    if (!watch.deviates) own.delete(key)
    if (!watch.deviates || reading.finding === "unknown") return
    const alert = alertOf(chain, token, reading, good, rules)
    own.set(key, alert)
    if (before?.deviates !== true) yield* Effect.ignore(renew(alert), { log: "Warn" })
  })

  const renewOwn = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const [key, alert] of own) {
      if (now - (watches.get(key)?.atMs ?? now) < FINDING_MILLIS) yield* renew(alert)
      else own.delete(key)
    }
  })

  /** Forgets what this process saw before the end of somebody else's deviation, and what nobody waits for. */
  const forget = (standing: ReadonlyArray<Alert>, renewed: ReadonlyArray<Alert>) => {
    const keys = new Set(standing.map(({ key }) => key))
    const byOthers = new Set(
      renewed.filter(({ details, key }) => details["renewedAtMs"] !== renewedAt.get(key)).map(({ key }) => key)
    )
    for (const [key, { deviates }] of watches) {
      if (deviates || (keys.has(key) && !byOthers.has(key))) continue
      watches.delete(key)
      renewedAt.delete(key)
    }
  }

  return { forget, note, renewOwn, watches }
})

/** The subject of an alert, if it is a listed token of these chains. */
const subjectOf = (all: ReadonlyArray<ChainClient>, { details: { chainId, token } }: Alert) =>
  Option.gen(function* () {
    const { chain } = yield* Option.fromUndefinedOr(all.find(({ chain: { id } }) => id === chainId))
    const address = yield* typeof token === "string" ? Option.some(Address.stored(token)) : Option.none()
    const info = yield* Chain.token(chain, address === chain.wrappedNative ? NATIVE : address)
    return { chainId: chain.id, token: { address: info.address, decimals: info.decimals } }
  })

/** Repeats until the scope closes. Other loops report an outage of the store. */
const repeating = <E>(pauseMillis: number, round: Effect.Effect<void, E>) =>
  round.pipe(
    Effect.ignore({ log: "Debug" }),
    Effect.ignoreCause({ log: "Warn" }),
    Effect.andThen(Effect.sleep(pauseMillis)),
    Effect.forever,
    Effect.forkScoped
  )

type Read<E> = (chainId: ChainId, token: PricedToken) => Effect.Effect<unknown, E>

/** Makes `note`, which takes each reading of a listed token, and `reviewing(read)`, which starts the reviews. */
export const make = Effect.fnUntraced(function* (rules: PriceDeviation.Rules) {
  const alerts = yield* Alerts
  const { all } = yield* Chains
  const renewalsOf = makeRenewals()
  const { forget, note, renewOwn, watches } = yield* makeWatches(rules)

  /** Reads the price. If nobody renews the alert, clears it where this very reading proves the end. */
  const look = Effect.fnUntraced(function* <E>(alert: Alert, isLeft: boolean, read: Read<E>) {
    const subject = Option.getOrUndefined(subjectOf(all, alert))
    if (subject === undefined) return
    const { key } = alert
    const before = watches.get(key) ?? PriceDeviation.takenOver(yield* Clock.currentTimeMillis)
    watches.set(key, { ...before, isOver: false })
    yield* read(subject.chainId, subject.token)
    if (!isLeft || watches.get(key)?.isOver !== true) return
    // The reading may have waited for a node.
    if (!(yield* alerts.list).some((other) => other.key === key && renewalOf(other) === renewalOf(alert))) return
    yield* alerts.clear(key)
    watches.delete(key)
  })

  const review = Effect.fnUntraced(function* <E>(read: Read<E>) {
    const now = yield* Clock.currentTimeMillis
    const standing = (yield* alerts.list).filter(({ kind }) => kind === KIND)
    const { left, renewed } = renewalsOf(standing, now)
    forget(standing, renewed)
    const due = standing.flatMap((alert) => {
      const isLeft = left.has(alert.key)
      const watch = watches.get(alert.key)
      const isUnread = watch?.deviates === true && now - watch.atMs >= UNREAD_MILLIS
      return isLeft || isUnread ? [Effect.ignore(look(alert, isLeft, read), { log: "Debug" })] : []
    })
    yield* Effect.all(due, { concurrency: CONCURRENCY, discard: true })
  })

  /**
   * Renews and reviews until the scope closes. `read` reads a price, and so makes a note of it. It may wait for a node for long, and the
   * renewals do not wait for it.
   */
  const reviewing = <E>(read: Read<E>) =>
    Effect.asVoid(Effect.all([repeating(RENEWAL_MILLIS, renewOwn), repeating(REVIEW_MILLIS, review(read))]))

  return { note, reviewing }
})
