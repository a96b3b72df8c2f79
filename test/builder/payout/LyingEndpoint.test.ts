/** One endpoint of two or three gives false answers about a payment. No batch is given up, or booked as paid, because of it alone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "viem"
import * as PaymentProof from "../../../src/builder/payout/PaymentProof.ts"
import { observe } from "../../../src/builder/payout/PaymentObserving.ts"
import type { PayoutBatch } from "../../../src/domain/Payout.ts"
import { type ChainClient, Chains } from "../../../src/ports/shared/Chains.ts"
import { network, type Node as Scripted } from "../../adapters/evm/rpc/scriptedNodes.ts"
import { recorded, saying, SIGNER, silent, type View } from "./lyingNodes.ts"
import { DEADLINE } from "./versionScene.ts"

const chainsOf = (client: ChainClient): Chains["Service"] => ({ all: [client], get: () => Effect.succeed(client) })

type Proof = Effect.Success<typeof PaymentProof.make>

/** Longer than an endpoint that was just found may be behind without being stopped, in milliseconds. */
const KNOWN_MILLIS = 20_000

/** Asks the proof of a chain whose endpoints are known for a while. Returns the answer, or the text of the failure. */
const concluded = <A>(
  ask: (proof: Proof, batch: PayoutBatch) => Effect.Effect<A, { readonly message: string }>,
  ...nodes: ReadonlyArray<Scripted>
) =>
  Effect.gen(function* () {
    const batch = yield* recorded
    const names = ["first", "second", "third"]
    const { use } = network(Object.fromEntries(nodes.map((node, index) => [names[index], node])))
    return yield* use((client) =>
      Effect.gen(function* () {
        yield* Effect.ignore(client.block("latest"))
        yield* TestClock.adjust(KNOWN_MILLIS)
        const proof = yield* Effect.provideService(PaymentProof.make, Chains, chainsOf(client))
        return yield* ask(proof, batch)
      })
    )
  }).pipe(
    Effect.result,
    Effect.map(Result.match({ onFailure: ({ message }): A | string => message, onSuccess: (answer) => answer }))
  )

const isInFlight = (...nodes: ReadonlyArray<Scripted>) => concluded((proof, batch) => proof.isInFlight(batch), ...nodes)
const mayPay = (...nodes: ReadonlyArray<Scripted>) => concluded((proof, batch) => proof.mayPay(batch), ...nodes)
const prove = (...nodes: ReadonlyArray<Scripted>) =>
  concluded((proof, batch) => Effect.as(proof.prove(batch, batch.payments?.[0]?.txHash ?? "0x"), "proved"), ...nodes)

/** Runs a check with the two endpoints in both orders. */
const inBothOrders = <A>(
  conclude: (...nodes: ReadonlyArray<Scripted>) => Effect.Effect<A>,
  liar: Scripted,
  honest: Scripted,
  check: (conclusion: A) => void
) => Effect.andThen(Effect.map(conclude(liar, honest), check), Effect.map(conclude(honest, liar), check))

const differ = (conclusion: unknown) => {
  assert.include(conclusion, "gave different answers")
  assert.include(conclusion, "first")
  assert.include(conclusion, "second")
}

/** Past the payment's deadline, and long past it. */
const [PAST, LATER] = [DEADLINE + 1, DEADLINE + 10_000]

const quiet: View = { head: 100, seconds: PAST, isSpent: false }
const paid: View = { ...quiet, isSpent: true, receipt: { block: 90, status: "0x1", paid: 5n } }

const start = (seconds: number) => TestClock.setTime(seconds * 1000)

describe("a payment that may still count", () => {
  it.effect("is over when two endpoints say so, or the only one that answers", () =>
    Effect.gen(function* () {
      yield* start(PAST)
      for (const nodes of [[saying(quiet)], [saying(quiet), saying(quiet)], [silent, saying(quiet)]]) {
        assert.isFalse(yield* isInFlight(...nodes))
        assert.isFalse(yield* mayPay(...nodes))
      }
    })
  )

  it.effect("is not over because one endpoint hides its spent nonce and its receipt", () =>
    Effect.gen(function* () {
      yield* start(PAST)
      yield* inBothOrders(isInFlight, saying(quiet), saying(paid), differ)
      yield* inBothOrders(mayPay, saying(quiet), saying(paid), differ)
    })
  )

  it.effect("is not over because one endpoint hides its receipt while the nonce is not confirmed", () =>
    Effect.gen(function* () {
      yield* start(PAST)
      const mined = { ...paid, isSpent: false }
      for (const lie of [quiet, { ...mined, receipt: { block: 90, status: "0x0", paid: 5n } as const }]) {
        yield* inBothOrders(isInFlight, saying(lie), saying(mined), differ)
        yield* inBothOrders(mayPay, saying(lie), saying(mined), differ)
      }
      for (const conclude of [isInFlight, mayPay]) assert.isTrue(yield* conclude(saying(mined)))
    })
  )

  it.effect("is not over because one endpoint names another time of the confirmed block", () =>
    Effect.gen(function* () {
      yield* start(60)
      const honest = { ...quiet, seconds: 60 }
      yield* inBothOrders(isInFlight, saying(quiet), saying(honest), differ)
      yield* inBothOrders(mayPay, saying(quiet), saying(honest), differ)
    })
  )

  it.effect("is not over because one endpoint names later blocks than the chain has", () =>
    Effect.gen(function* () {
      yield* start(60)
      const honest = { ...quiet, seconds: 60 }
      for (const above of [1, 50]) {
        const invented: Scripted = (method, params) => {
          const isOwn = params[0] === "latest" || Number(params[0]) > honest.head || method === "eth_call"
          return saying(isOwn ? { ...quiet, head: honest.head + above } : honest)(method, params)
        }
        const stays = (conclusion: unknown) => assert.isTrue(conclusion)
        yield* inBothOrders(isInFlight, invented, saying(honest), stays)
        yield* inBothOrders(mayPay, invented, saying(honest), stays)
      }
    })
  )

  it.effect("is over although an endpoint stopped at an old block", () =>
    Effect.gen(function* () {
      yield* start(LATER)
      const stopped = saying({ ...quiet, head: 40, seconds: 60 })
      const live = saying({ ...quiet, seconds: LATER })
      const over = (conclusion: unknown) => assert.isFalse(conclusion)
      yield* inBothOrders(isInFlight, stopped, live, over)
      yield* inBothOrders(mayPay, stopped, live, over)
    })
  )
})

describe("a third endpoint", () => {
  it.effect("is asked if the second one stopped at an old block or is silent", () =>
    Effect.gen(function* () {
      yield* start(LATER)
      const live = { seconds: LATER }
      const lie = saying({ ...quiet, ...live })
      const honest = saying({ ...paid, ...live })
      for (const second of [silent, saying({ ...quiet, head: 40, seconds: 60 })]) {
        for (const conclude of [isInFlight, mayPay]) {
          assert.include(yield* conclude(lie, second, honest), "gave different answers")
          assert.include(yield* conclude(honest, second, lie), "gave different answers")
        }
        assert.include(yield* prove(honest, second, lie), "gave different answers")
        assert.strictEqual(yield* prove(honest, second, honest), "proved")
      }
    })
  )
})

describe("a payment that is proved", () => {
  it.effect("has the same receipt on two endpoints, but for the gas", () =>
    Effect.gen(function* () {
      yield* start(PAST)
      const other = saying({ ...paid, receipt: { block: 90, status: "0x1", paid: 5n, gas: 2 } })
      for (const nodes of [[saying(paid)], [saying(paid), other], [silent, saying(paid)]]) {
        assert.strictEqual(yield* prove(...nodes), "proved")
      }
    })
  )

  it.effect("is not one that an endpoint makes up, or changes", () =>
    Effect.gen(function* () {
      yield* start(PAST)
      const small = { ...paid, receipt: { block: 90, status: "0x1", paid: 4n } as const }
      const reverted = { ...paid, receipt: { block: 90, status: "0x0", paid: 5n } as const }
      const moved = { ...paid, receipt: { block: 91, status: "0x1", paid: 5n } as const }
      for (const honest of [quiet, small, reverted, moved]) {
        yield* inBothOrders(prove, saying(paid), saying(honest), differ)
      }
    })
  )

  it.effect("is one that two endpoints show, although a third one hides it", () =>
    Effect.gen(function* () {
      yield* start(PAST)
      for (const nodes of [
        [paid, quiet, paid],
        [quiet, paid, paid],
        [paid, paid, quiet]
      ]) {
        assert.strictEqual(yield* prove(...nodes.map(saying)), "proved")
      }
    })
  )

  it.effect("is confirmed on both endpoints", () =>
    Effect.gen(function* () {
      yield* start(PAST)
      const above = saying({ ...paid, head: 103, receipt: { block: 102, status: "0x1", paid: 5n } })
      yield* inBothOrders(prove, above, saying(quiet), (conclusion) => assert.include(conclusion, "not_confirmed"))
    })
  )
})

describe("a payment whose receipt an endpoint has deleted", () => {
  /** An endpoint that has the block with the payment. */
  const deleted = Effect.map(recorded, ({ payments = [] }): View => ({
    ...paid,
    receipt: undefined,
    lists: payments.map(({ txHash }) => txHash)
  }))

  it.effect("is proved, and is not given up, by the receipt of another endpoint", () =>
    Effect.gen(function* () {
      yield* start(PAST)
      const pruned = yield* deleted
      const proved = (conclusion: unknown) => assert.strictEqual(conclusion, "proved")
      yield* inBothOrders(prove, saying(pruned), saying(paid), proved)
      const stays = (conclusion: unknown) => assert.isTrue(conclusion)
      for (const conclude of [isInFlight, mayPay]) {
        yield* inBothOrders(conclude, saying({ ...pruned, isSpent: false }), saying({ ...paid, isSpent: false }), stays)
      }
      assert.strictEqual(yield* prove(saying(pruned), saying(pruned), saying(paid)), "proved")
      assert.include(yield* prove(saying(pruned), saying(pruned)), "not prove")
    })
  )

  it.effect("is not one that an endpoint makes up, since the block of another one does not have it", () =>
    Effect.gen(function* () {
      yield* start(PAST)
      const honest = saying({ ...paid, receipt: undefined, lists: [keccak256("0x01")] })
      yield* inBothOrders(prove, saying(paid), honest, differ)
      assert.include(yield* prove(saying(paid), saying(yield* deleted), honest), "gave different answers")
    })
  )
})

describe("a look at a payment", () => {
  const looked = (...nodes: ReadonlyArray<Scripted>) =>
    Effect.gen(function* () {
      const batch = yield* recorded
      const { use } = network({ first: nodes[0] ?? silent, second: nodes[1] ?? silent })
      return yield* use((client) => observe(client, batch, SIGNER, 0))
    }).pipe(
      Effect.result,
      Effect.map(
        Result.match({
          onFailure: ({ message }) => message,
          onSuccess: ({ accountNonce, isSpent, versions }) => [
            accountNonce.latest,
            isSpent,
            versions[0]?.receipt?.status
          ]
        })
      )
    )

  it.effect("shows what two endpoints say, or the only one that answers", () =>
    Effect.gen(function* () {
      yield* start(PAST)
      for (const nodes of [
        [saying(quiet), saying(quiet)],
        [silent, saying(quiet)]
      ]) {
        assert.deepStrictEqual(yield* looked(...nodes), [0n, false, undefined])
      }
      assert.deepStrictEqual(yield* looked(saying(paid), saying(paid)), [0n, true, "success"])
    })
  )

  it.effect("does not show one lie, after which the payment would be signed again with another nonce", () =>
    Effect.gen(function* () {
      yield* start(PAST)
      const reverted = { ...paid, receipt: { block: 90, status: "0x0", paid: 5n } as const }
      for (const [lie, honest] of [
        [{ ...paid, receipt: undefined }, paid],
        [reverted, paid],
        [{ ...quiet, count: 7 }, quiet],
        [quiet, { ...quiet, isSpent: true }]
      ] as const) {
        yield* inBothOrders(looked, saying(lie), saying(honest), differ)
      }
    })
  )
})
