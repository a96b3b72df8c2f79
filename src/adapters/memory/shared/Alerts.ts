/** Alerts in memory, for tests, with the queue of their notices. */
import { Clock, Context, Effect, HashMap, Layer, Option, Ref } from "effect"
import type { Told } from "../../../domain/AlertNotice.ts"
import { AlertNotices, type Followed, type Subject } from "../../../ports/shared/AlertNotices.ts"
import { type Alert, Alerts } from "../../../ports/shared/Alerts.ts"

interface Board {
  readonly raised: number
  readonly standing: HashMap.HashMap<string, Alert>
  readonly cleared: ReadonlyArray<Followed["alert"]>
}

interface Entry {
  readonly told: Told
  readonly leasedUntil: number
}

const inOrder = <A extends Alert>(alerts: ReadonlyArray<A>): ReadonlyArray<A> =>
  alerts.toSorted(
    (a, b) =>
      Number(b.severity === "critical") - Number(a.severity === "critical") ||
      a.sinceMs - b.sinceMs ||
      Number(a.id) - Number(b.id)
  )

const alertsOn = (board: Ref.Ref<Board>) => {
  const raise: Alerts["Service"]["raise"] = Effect.fnUntraced(function* (alert) {
    const now = yield* Clock.currentTimeMillis
    yield* Ref.update(board, ({ cleared, raised, standing }) => {
      const { id, sinceMs } = Option.getOrElse(HashMap.get(standing, alert.key), () => ({
        id: String(raised + 1),
        sinceMs: now
      }))
      return { raised: raised + 1, standing: HashMap.set(standing, alert.key, { ...alert, id, sinceMs }), cleared }
    })
  })

  const amend: Alerts["Service"]["amend"] = (id, details) =>
    Ref.update(board, (current) => ({
      ...current,
      standing: HashMap.map(current.standing, (alert) =>
        alert.id === id ? { ...alert, details: { ...alert.details, ...details } } : alert
      )
    }))

  const clear: Alerts["Service"]["clear"] = Effect.fnUntraced(function* (key) {
    const clearedAtMs = yield* Clock.currentTimeMillis
    yield* Ref.update(board, ({ cleared, raised, standing }) => ({
      raised,
      standing: HashMap.remove(standing, key),
      cleared: [...cleared, ...Option.toArray(HashMap.get(standing, key)).map((alert) => ({ ...alert, clearedAtMs }))]
    }))
  })

  return Alerts.of({
    raise,
    amend,
    clear,
    list: Effect.map(Ref.get(board), ({ standing }) => inOrder(Array.from(HashMap.values(standing))))
  })
}

const keyOf = ({ alertId, destination }: Subject): string => `${destination} ${alertId}`

const noticesOn = Effect.fnUntraced(function* (board: Ref.Ref<Board>) {
  const records = yield* Ref.make(HashMap.empty<string, Entry>())

  const open: AlertNotices["Service"]["open"] = Effect.fnUntraced(function* (destination) {
    const now = yield* Clock.currentTimeMillis
    const held = yield* Ref.get(records)
    const { cleared, standing } = yield* Ref.get(board)
    return inOrder([...HashMap.values(standing), ...cleared]).flatMap((alert): ReadonlyArray<Followed> => {
      const record = Option.getOrUndefined(HashMap.get(held, keyOf({ alertId: alert.id, destination })))
      const isEnded = "clearedAtMs" in alert && (record === undefined || record.told.isClosed)
      return isEnded ? [] : [{ alert, told: record?.told, isLeased: (record?.leasedUntil ?? 0) > now }]
    })
  })

  const claim: AlertNotices["Service"]["claim"] = Effect.fnUntraced(function* (subject, told, leaseMillis) {
    const now = yield* Clock.currentTimeMillis
    return yield* Ref.modify(records, (held) => {
      const known = { accepted: 0, failures: 0, isClosed: false, ...told }
      const record = Option.getOrElse(HashMap.get(held, keyOf(subject)), () => ({ told: known, leasedUntil: 0 }))
      const isFree =
        record.leasedUntil <= now &&
        !record.told.isClosed &&
        record.told.accepted === known.accepted &&
        record.told.failures === known.failures
      return isFree
        ? [true, HashMap.set(held, keyOf(subject), { told: record.told, leasedUntil: now + leaseMillis })]
        : [false, held]
    })
  })

  const record: AlertNotices["Service"]["record"] = (subject, before, after) =>
    Ref.update(records, (held) => {
      const { told } = Option.getOrElse(HashMap.get(held, keyOf(subject)), () => ({ told: after }))
      const isSame = told.accepted === before.accepted && told.failures === before.failures && !told.isClosed
      return isSame ? HashMap.set(held, keyOf(subject), { told: after, leasedUntil: 0 }) : held
    })

  return AlertNotices.of({ open, claim, record })
})

/** Both ports over one board. */
export const layer: Layer.Layer<Alerts | AlertNotices> = Layer.effectContext(
  Effect.gen(function* () {
    const board = yield* Ref.make<Board>({ raised: 0, standing: HashMap.empty(), cleared: [] })
    return Context.make(Alerts, alertsOn(board)).pipe(Context.add(AlertNotices, yield* noticesOn(board)))
  })
)
