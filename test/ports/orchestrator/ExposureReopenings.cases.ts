/** The part of the suite of {@link Exposures} about transactions that lost a block: what they lost is booked once. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type Budgets, classOf } from "../../../src/domain/Exposure.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, submitted } from "../../support/IntentFixtures.ts"

const TOKEN = classOf("unlisted", "token_in", 1, "0xaa")

const BUDGETS: Budgets = { unlisted: { hour: 800n, day: 4_000n }, listedHour: 800n }

const sums = Effect.flatMap(Exposures, (exposures) => exposures.sums([TOKEN]))

/** Submits a sweep and stores its transaction. Returns the transaction's id. */
const send = Effect.fnUntraced(function* (id: string, owner = 1) {
  const transactions = yield* RelayTransactions
  yield* submitted({ id, owner })
  const { id: transaction } = yield* transactions.allocate({
    chainId: 1,
    lane: address(0x1a4e),
    chainNonce: 0n,
    intentIds: [id],
    sign: () => Effect.succeed(attempt(id))
  })
  return transaction
})

export const reopeningCases = (stores: Layer.Layer<Exposures | Intents | RelayTransactions, unknown>) => {
  it.effect("books nothing again when a transaction that lost its block ends again", () =>
    Effect.gen(function* () {
      const exposures = yield* Exposures
      const transactions = yield* RelayTransactions
      yield* exposures.reserve([{ intentId: "a", classes: [TOKEN], wei: 60n }], BUDGETS)
      const [id, other] = [yield* send("a"), yield* send("b", 2)]
      const inclusion = { hash: hash("a"), blockNumber: 9n, blockHash: hash("block") }
      const parts = [{ intentId: "a", cost: 28n, isSettled: true }]
      const ending = { id, inclusion, cost: 28n, bookings: [{ key: TOKEN, lost: 25n, earned: 3n }], parts }
      yield* transactions.finalize([ending])
      yield* transactions.reopen([{ id, inclusion }])
      const booked = { lost: 25n, earned: 3n }
      expect((yield* sums).get(TOKEN)).toEqual({ open: 0n, hour: booked, day: booked })
      yield* transactions.finalize([ending, { ...ending, id: other }])
      const both = { lost: 50n, earned: 6n }
      expect((yield* sums).get(TOKEN)).toEqual({ open: 0n, hour: both, day: both })
    }).pipe(Effect.provide(stores))
  )

  it.effect("books once what a transaction lost that was reopened before its end", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const transactions = yield* RelayTransactions
      const id = yield* send("a")
      const inclusion = { hash: hash("a"), blockNumber: 9n, blockHash: hash("block") }
      yield* intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("a") }])
      yield* transactions.setInclusion(id, inclusion)
      expect(yield* transactions.reopen([{ id, inclusion }])).toEqual([id])
      const parts = [{ intentId: "a", cost: 28n, isSettled: true }]
      const ending = { id, inclusion, cost: 28n, bookings: [{ key: TOKEN, lost: 25n, earned: 3n }], parts }
      for (let times = 0; times < 2; times++) {
        yield* transactions.finalize([ending])
        yield* transactions.reopen([{ id, inclusion }])
      }
      expect((yield* sums).get(TOKEN)?.hour).toEqual({ lost: 25n, earned: 3n })
    }).pipe(Effect.provide(stores))
  )

  it.effect("books once what a transaction lost that had left all its sweeps before one settled in it", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const transactions = yield* RelayTransactions
      const id = yield* send("a")
      const inclusion = { hash: hash("a"), blockNumber: 9n, blockHash: hash("block") }
      yield* transactions.detach(id, ["a"])
      yield* intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("a") }])
      yield* transactions.setInclusion(id, inclusion)
      yield* transactions.reopen([{ id, inclusion }])
      const parts = [{ intentId: "a", cost: 28n, isSettled: true }]
      const ending = { id, inclusion, cost: 28n, bookings: [{ key: TOKEN, lost: 25n, earned: 3n }], parts }
      for (let times = 0; times < 2; times++) {
        yield* transactions.finalize([ending])
        yield* transactions.reopen([{ id, inclusion }])
        yield* transactions.setInclusion(id, inclusion)
        yield* transactions.reopen([{ id, inclusion }])
      }
      yield* transactions.finalize([ending])
      expect((yield* sums).get(TOKEN)?.hour).toEqual({ lost: 25n, earned: 3n })
    }).pipe(Effect.provide(stores))
  )

  it.effect("books once what a transaction lost whose late receipt was recovered", () =>
    Effect.gen(function* () {
      const transactions = yield* RelayTransactions
      const id = yield* send("a")
      const inclusion = { hash: hash("a"), blockNumber: 9n, blockHash: hash("block") }
      const bookings = [{ key: TOKEN, lost: 25n, earned: 3n }]
      yield* transactions.finalize([{ id, bookings }])
      yield* transactions.recover({ id, inclusion, cost: 28n, nativeUsd: undefined })
      yield* transactions.reopen([{ id, inclusion }])
      yield* transactions.finalize([{ id, inclusion, cost: 28n, bookings }])
      expect((yield* sums).get(TOKEN)?.hour).toEqual({ lost: 25n, earned: 3n })
    }).pipe(Effect.provide(stores))
  )
}
