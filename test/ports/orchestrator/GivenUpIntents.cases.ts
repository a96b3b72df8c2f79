/** Intents that are no longer sent: the part of the suite of {@link Intents} about their reasons. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, submitted } from "../../support/IntentFixtures.ts"

const claim = Effect.flatMap(Intents, (intents) =>
  intents.claim({ chainId: 1, worker: "w", leaseMillis: 1_000, limit: 10 })
).pipe(Effect.map((claimed) => claimed.map(({ id }) => id)))

const carry = (intentIds: ReadonlyArray<string>) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId: 1,
      lane: address(0x1a4e),
      chainNonce: 0n,
      intentIds,
      sign: (nonce) => Effect.succeed(attempt(`given up ${nonce}`))
    })
  )

const refused = { reason: "simulation_failed", detail: "InsufficientOutput", notBeforeMs: 5_000 } as const
const reverted = { reason: "reverted", detail: "status reverted", notBeforeMs: 5_000 } as const

const burned = Effect.flatMap(Intents, (intents) =>
  intents.burned({ chainId: 1, owners: [address(1), address(2)], builders: ["bld_1"], sinceMs: 10 })
)

export const givenUpCases = (stores: Layer.Layer<Intents | RelayTransactions, unknown>) => {
  it.effect("keeps the newest reason of an intent that is given up, and its lease ends", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* submitted({ id: "a", owner: 1 })
      yield* submitted({ id: "younger", owner: 1 })
      yield* submitted({ id: "other", owner: 2 })
      expect(yield* claim).toEqual(["a", "other"])
      expect(yield* intents.givenUp("a")).toEqual(Option.none())
      yield* intents.giveUp("a", reverted)
      yield* intents.giveUp("a", refused)
      expect(yield* intents.givenUp("a")).toEqual(
        Option.some({ reason: "simulation_failed", detail: "InsufficientOutput" })
      )
      expect(yield* intents.givenUp("other")).toEqual(Option.none())
      expect(yield* intents.givenUpReasons(["a", "other", "unknown"])).toEqual(new Map([["a", "simulation_failed"]]))
      // It holds back no other intent of its owner, and is in the queue again after its time.
      expect(yield* claim).toEqual(["younger"])
      yield* TestClock.adjust("4999 millis")
      expect((yield* claim).toSorted()).toEqual(["other", "younger"])
      yield* intents.release(["younger"])
      yield* TestClock.adjust("1 millis")
      expect(yield* claim).toEqual(["a"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("keeps an intent back that its transaction lets go after it was given up", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const transactions = yield* RelayTransactions
      yield* submitted({ id: "a", owner: 1 })
      yield* submitted({ id: "b", owner: 2 })
      const { id } = yield* carry(["a", "b"])
      yield* intents.giveUp("a", reverted)
      yield* transactions.detach(id, ["a"])
      yield* intents.giveUp("b", reverted)
      yield* transactions.finalize([{ id }])
      expect(yield* claim).toEqual([])
      expect((yield* intents.overdue(1, 1_001n, 10)).map((intent) => intent.id).toSorted()).toEqual(["a", "b"])
      yield* intents.release(["a"])
      expect(yield* claim).toEqual(["a"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("counts no failure of an intent that no node took, and that of one whose fate is unknown", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const transactions = yield* RelayTransactions
      for (const [index, id] of ["refused", "settled", "held"].entries()) {
        yield* submitted({ id, owner: index + 1, builderId: "bld_1" })
      }
      const hashes = Effect.map(
        Effect.forEach(["refused", "settled", "held"], (id) => intents.find(id)),
        (found) => found.map((intent) => Option.getOrThrow(intent).txHash !== undefined)
      )
      const { id } = yield* carry(["refused", "settled", "held"])
      yield* intents.apply("settled", [{ _tag: "SettledAtSource", txHash: hash("t") }])
      expect(yield* hashes).toEqual([true, true, true])
      yield* transactions.detach(id, [], ["held"])
      yield* transactions.detach(id, ["refused", "settled"], ["refused", "settled", "held", "unknown"])
      yield* transactions.detach(id, ["held"])
      expect(yield* hashes).toEqual([false, true, true])
      yield* TestClock.adjust("11 millis")
      yield* intents.giveUp("refused", reverted)
      yield* intents.giveUp("held", reverted)
      const one = { owners: new Map(), builders: new Map([["bld_1", 1]]) }
      expect(yield* burned).toEqual(one)
      for (const each of ["refused", "held"]) yield* intents.apply(each, [{ _tag: "Failed", reason: "nonce_used" }])
      expect(yield* burned).toEqual(one)
      // A later transaction counts again.
      yield* submitted({ id: "sent", owner: 2, builderId: "bld_1" })
      const first = yield* carry(["sent"])
      yield* transactions.detach(first.id, ["sent"], ["sent"])
      yield* carry(["sent"])
      yield* intents.giveUp("sent", reverted)
      expect((yield* burned).owners).toEqual(new Map([[address(2), 1]]))
    }).pipe(Effect.provide(stores))
  )

  it.effect("gives up nothing that has moved on", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* submitted({ id: "a", owner: 1 })
      yield* intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("t") }])
      yield* intents.giveUp("a", refused)
      expect(yield* intents.givenUp("a")).toEqual(Option.none())
    }).pipe(Effect.provide(stores))
  )

  it.effect("counts a failure at the relayer's cost once, from the time when the intent was given up", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const transactions = yield* RelayTransactions
      yield* submitted({ id: "a", owner: 1, builderId: "bld_1" })
      yield* submitted({ id: "unsent", owner: 2, builderId: "bld_1" })
      const { id } = yield* carry(["a"])
      yield* TestClock.adjust("11 millis")
      expect(yield* burned).toEqual({ owners: new Map(), builders: new Map() })
      yield* intents.giveUp("a", reverted)
      yield* intents.giveUp("unsent", reverted)
      yield* transactions.finalize([{ id }])
      const one = { owners: new Map([[address(1), 1]]), builders: new Map([["bld_1", 1]]) }
      expect(yield* burned).toEqual(one)
      yield* intents.apply("a", [{ _tag: "Failed", reason: "reverted" }])
      expect(yield* burned).toEqual(one)
    }).pipe(Effect.provide(stores))
  )
}
