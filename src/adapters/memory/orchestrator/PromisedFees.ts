/** {@link PromisedFees} in memory, for tests. */
import { Clock, Effect, HashMap, Layer, Ref } from "effect"
import { type PromisedFee, PromisedFees, type PromisedOrder } from "../../../ports/orchestrator/PromisedFees.ts"
import { OrchestratorState, type State } from "./OrchestratorState.ts"

/** A fee as it is kept. */
type Recorded = Omit<PromisedFee, "isBudgeted">

const isSameOrder = (a: PromisedOrder, b: PromisedOrder): boolean =>
  a.chainId === b.chainId && a.owner === b.owner && a.nonce === b.nonce

const isSubmitted = ({ intents }: State, promised: PromisedOrder): boolean =>
  Array.from(HashMap.values(intents)).some(
    ({ intent: { order, quote, status } }) =>
      status !== "quoted" && isSameOrder({ ...order, chainId: quote.sourceChainId }, promised)
  )

const sum = (fees: ReadonlyArray<Recorded>): bigint => fees.reduce((total, { amount }) => total + amount, 0n)

const largest = (fees: ReadonlyArray<Recorded>): bigint =>
  fees.reduce((most, { amount }) => (amount > most ? amount : most), 0n)

export const layer = Layer.effect(
  PromisedFees,
  Effect.map(OrchestratorState, ({ state }) => {
    let kept: ReadonlyArray<Recorded> = []

    /** Returns what was recorded before. */
    const record = (fee: Recorded) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const others = kept.filter((each) => each.untilMs > now && !isSameOrder(each, fee))
        kept = [...others, fee]
        return others
      })

    return PromisedFees.of({
      record: (fee) => Effect.asVoid(record(fee)),
      promise: (fee) =>
        Effect.gen(function* () {
          const current = yield* Ref.get(state)
          const others = yield* record(fee)
          const beside = others.filter(({ chainId, token }) => chainId === fee.chainId && token === fee.token)
          const isCertain = (each: Recorded): boolean =>
            !fee.isBudgeted || each.owner === fee.owner || isSubmitted(current, each)
          const unsubmitted = Object.groupBy(
            beside.filter((each) => !isCertain(each)),
            ({ owner }) => owner
          )
          return Object.values(unsubmitted).reduce(
            (total, ofOwner = []) => total + largest(ofOwner),
            sum(beside.filter(isCertain))
          )
        }),
      withdraw: (order) =>
        Effect.sync(() => {
          kept = kept.filter((each) => !isSameOrder(each, order))
        })
    })
  })
).pipe(Layer.provide(OrchestratorState.layer))
