/** Sweeps are simulated again where they are sent in another order than they were rehearsed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import type { FeeCover } from "../../../src/domain/FeeCover.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import type { SimulatedStep } from "../../../src/ports/shared/Simulation.ts"
import { address } from "../../support/FakeChain.ts"
import { reverting, source, type Sweep } from "../../support/RelayFixtures.ts"
import { layer, layerWith, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"
import { wallet } from "./wallet.ts"

/** Wei that two first sweeps of the default gas limit may cost, with less than a third one may cost beside. */
const TWO_FIRST_SWEEPS = 10_000_000_000_000_000n

/** The network fees of the sweeps cover ten million gas at the scene's price. */
const cover: FeeCover = { gas: 200_000n, gasPrice: 2_000_000_000n, value: 20_000_000_000_000_000n }

const settling = { success: true, returnData: numberToHex(1n, { size: 32 }), gasUsed: 150_000n, logs: [] } as const
const failing = { ...settling, success: false, returnData: reverting("InsufficientOutput") } as const

const unavailable = (isReverted: boolean) =>
  new ChainUnavailable({
    chainId: source.id,
    method: "eth_call",
    detail: isReverted ? "InsufficientGas" : "timeout",
    ...(isReverted ? { isReverted } : {})
  })

const has = (steps: ReadonlyArray<SimulatedStep>, owner: number): boolean =>
  steps.some(({ to }) => to === address(owner))

/** Each step settles, unless `fails` says otherwise. */
const answers = (steps: ReadonlyArray<SimulatedStep>, fails: (step: SimulatedStep) => boolean) =>
  Effect.succeed(steps.map((step) => (fails(step) ? failing : settling)))

/** Sweeps of owners 1, 2 …, of which no call can run all at first. So each half of them is rehearsed apart. */
const halved = Effect.fnUntraced(function* (
  count: number,
  then: (steps: ReadonlyArray<SimulatedStep>) => ReturnType<typeof answers> | Effect.Effect<never, ChainUnavailable>
) {
  const the = yield* scene
  const lengths: Array<number> = []
  yield* the.chain.onSimulate((steps) =>
    Effect.suspend(() => {
      lengths.push(steps.length)
      return lengths.length === 1 ? Effect.fail(unavailable(true)) : then(steps)
    })
  )
  for (let owner = 1; owner <= count; owner++) yield* the.submit({ id: `s${owner}`, owner, cover })
  return { ...the, lengths }
})

describe("a transaction whose sweeps were rehearsed in two calls", () => {
  it.effect("lacks those that fail behind the sweeps of the other call", () =>
    Effect.gen(function* () {
      const { intent, lengths } = yield* halved(4, (steps) =>
        answers(steps, ({ to }) => to === address(3) && has(steps, 1))
      )
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 3 })
      assert.deepStrictEqual(lengths, [4, 2, 2, 4])
      assert.isUndefined((yield* intent("s3")).txHash)
    }).pipe(Effect.provide(layer))
  )

  it.effect("lacks also those of the first call that fail when all run together", () =>
    Effect.gen(function* () {
      const { pending } = yield* halved(4, (steps) =>
        answers(steps, ({ to }) => to === address(2) && steps.length === 4)
      )
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 3 })
      assert.deepStrictEqual((yield* pending).intentIds, ["s1", "s3", "s4"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("has only those of the first call if no node can run them together", () =>
    Effect.gen(function* () {
      const { pending } = yield* halved(4, (steps) =>
        steps.length === 4 ? Effect.fail(unavailable(true)) : answers(steps, () => false)
      )
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 2 })
      assert.deepStrictEqual((yield* pending).intentIds, ["s1", "s2"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("has only those of the first call if no node answers, and the others are sent when one does", () => {
    let isSilent = true
    return Effect.gen(function* () {
      yield* halved(2, (steps) =>
        isSilent && steps.length === 2 ? Effect.fail(unavailable(false)) : answers(steps, () => false)
      )
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      isSilent = false
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      // The budget has room for two first sweeps, and not for three.
    }).pipe(Effect.provide(layerWith({ firstSweepsLossBudget: TWO_FIRST_SWEEPS })))
  })
})

describe("a transaction whose sweeps were rehearsed in two calls, behind another transaction", () => {
  /** Six sweeps in three transactions, of which owner 1 pays that of `paid`, which settles only behind it. */
  const three = Effect.fnUntraced(function* (paid: number, isHalved: boolean) {
    const the = yield* scene
    const lengths: Array<number> = []
    yield* the.chain.onSimulate((steps) =>
      Effect.suspend(() => {
        lengths.push(steps.length)
        return isHalved && lengths.length === 1
          ? Effect.fail(unavailable(true))
          : answers(steps, ({ to }) => to === address(paid) && !has(steps, 1))
      })
    )
    for (let owner = 1; owner <= 6; owner++) {
      const order = owner === 1 ? { order: { destination: address(paid) } } : {}
      yield* the.submit({ id: `s${owner}`, owner, cover, gas: 5_000_000n, ...order })
    }
    assert.deepStrictEqual(yield* relay, { claimed: 6, sent: 6 })
    assert.deepStrictEqual(
      (yield* the.unfinished).map(({ intentIds }) => intentIds),
      [
        ["s1", "s2"],
        ["s3", "s4"],
        ["s5", "s6"]
      ]
    )
    return lengths
  })

  it.effect("has a sweep that settles behind that transaction", () =>
    Effect.gen(function* () {
      assert.include(yield* three(3, true), 4)
    }).pipe(Effect.provide(layer))
  )

  it.effect("has a sweep that settles behind that transaction although one call cannot hold both", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* three(5, false), [5, 1, 5])
    }).pipe(Effect.provide(layer))
  )
})

it.effect("gas that the chain takes for data before a transaction runs divides no rehearsal", () =>
  Effect.gen(function* () {
    const the = yield* scene
    const lengths: Array<number> = []
    yield* the.chain.onSimulate((steps) => {
      lengths.push(steps.length)
      return answers(steps, () => false)
    })
    const sweep: Partial<Sweep> = { cover, gas: 5_220_000n, dataGas: 5_000_000n }
    for (let owner = 1; owner <= 6; owner++) yield* the.submit({ id: `s${owner}`, owner, ...sweep })
    yield* relay
    assert.strictEqual(lengths[0], 6)
  }).pipe(Effect.provide(layer))
)

it.effect("a listed leg that settled behind an unlisted one is simulated without it if that one is not sent", () =>
  Effect.gen(function* () {
    const the = yield* wallet([
      { id: "unlisted", order: { tokenIn: address(0xb9) } },
      { id: "listed", cover }
    ])
    yield* the.sweptBefore(1)
    const lengths: Array<number> = []
    yield* the.chain.onSimulate((steps) => {
      lengths.push(steps.length)
      return answers(steps, () => steps.length === 1)
    })
    assert.strictEqual((yield* relay).sent, 0)
    // Both of them in two blocks, then the listed one alone.
    assert.deepStrictEqual(lengths, [2, 2, 1])
    assert.isUndefined((yield* the.intent("listed")).txHash)
    // The budget is less than the unlisted one may cost, and more than nothing for each of its classes.
  }).pipe(Effect.provide(layerWith({ unlistedLossBudget: 1_000n })))
)

describe("a sweep that settled behind four legs of which the transaction has two", () => {
  /** Its owner has no settled sweep, so that it has a reservation. `again`: the answer to the second call, in the order that is sent. */
  const again = Effect.fnUntraced(function* (
    then: (steps: ReadonlyArray<SimulatedStep>) => ReturnType<typeof answers> | Effect.Effect<never, ChainUnavailable>
  ) {
    const legs = ["w", "x", "y", "z"].map((id) => ({ id, gas: 5_000_000n, cover }))
    const the = yield* wallet(legs)
    let calls = 0
    yield* the.chain.onSimulate((steps) =>
      Effect.suspend(() => (++calls === 1 ? answers(steps, () => false) : then(steps)))
    )
    yield* the.submit({ id: "z last", owner: 2, cover })
    const { sent } = yield* relay
    assert.strictEqual(calls, 2)
    const { reserved } = yield* Exposures
    const last = yield* the.intent("z last")
    assert.strictEqual(last.status, "submitted")
    return { sent, isSent: last.txHash !== undefined, isReserved: (yield* reserved(["z last"])).has("z last") }
  })

  it.effect("keeps no reservation if it fails there", () =>
    Effect.gen(function* () {
      const last = yield* again((steps) => answers(steps, ({ to }) => to === address(2)))
      assert.deepStrictEqual(last, { sent: 2, isSent: false, isReserved: false })
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits if no node can run that call, and the legs are sent", () =>
    Effect.gen(function* () {
      const last = yield* again(() => Effect.fail(unavailable(true)))
      assert.deepStrictEqual(last, { sent: 2, isSent: false, isReserved: false })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is sent if it settles there, with the legs before it that a node lets fail this time", () =>
    Effect.gen(function* () {
      const last = yield* again((steps) => answers(steps, ({ to }) => to === address(1)))
      assert.deepStrictEqual(last, { sent: 3, isSent: true, isReserved: true })
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits without its reservation if no node answers, and the legs are sent", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => {
      lines.push(String(message))
    })
    return Effect.gen(function* () {
      const last = yield* again(() => Effect.fail(unavailable(false)))
      assert.deepStrictEqual(last, { sent: 2, isSent: false, isReserved: false })
      assert.include(lines, "relay.unanswered")
      assert.notInclude(lines, "sweep.postponed")
    }).pipe(Effect.provide(layer), Effect.provide(Logger.layer([logger])))
  })
})
