/** The alert for a target that ends: raised ahead of time, and cleared when its cause goes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import * as EvmSweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import { type NamedTarget, NOTICE_MILLIS, type TargetListing } from "../../../src/domain/SwapTarget.ts"
import * as TargetReviews from "../../../src/orchestrator/operate/TargetReviews.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { SweepContracts } from "../../../src/ports/orchestrator/SweepContracts.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const DAY = 86_400_000
const END = "1970-03-01"
const OLD = FakeChain.address(0x01)
const NEW = FakeChain.address(0x02)

const rotating: ReadonlyArray<NamedTarget> = [
  { address: OLD, kind: "bridge", name: "relay", expiresAt: END },
  { address: NEW, kind: "bridge", name: "relay" }
]

const listingOf = (state: "active" | "waiting" | undefined, address: typeof OLD): TargetListing => {
  if (state === undefined) return { address, activeFrom: 0n }
  return { address, activeFrom: 1n, ...(state === "active" ? { kind: "bridge" } : {}) }
}

/** A chain whose guard lists what a test says, and the review of it. */
const make = Effect.fnUntraced(function* (targets: ReadonlyArray<NamedTarget>) {
  const guard = { list: new Map<string, "active" | "waiting">([[OLD, "active"]]), reads: 0, isSilent: false }
  const client = { ...FakeChain.client({}), chain: { ...FakeChain.chain, targets } }
  const contracts = Layer.effect(
    SweepContracts,
    Effect.map(SweepContracts, (real): SweepContracts["Service"] => ({
      ...real,
      targets: ({ chain }, addresses) =>
        Effect.suspend(() => {
          guard.reads += 1
          return guard.isSilent
            ? Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "silent" }))
            : Effect.succeed(addresses.map((address) => listingOf(guard.list.get(address), address)))
        })
    }))
  ).pipe(Layer.provide(EvmSweepContracts.layer))
  const context = yield* Layer.build(
    TargetReviews.layer.pipe(
      Layer.provide([contracts, Layer.succeed(Chains, { all: [client], get: () => Effect.die("not asked") })]),
      Layer.provideMerge(AlertsInMemory.layer)
    )
  )
  const standing = Effect.gen(function* () {
    yield* TestClock.adjust("10 minutes")
    return (yield* Effect.flatMap(Alerts, ({ list }) => list)).map(({ details, kind }) => [kind, details["target"]])
  }).pipe(Effect.provide(context))
  return { guard, standing }
})

describe("the review of targets", () => {
  it.effect("raises the alert ahead of the end, and clears it once the successor is active", () =>
    Effect.gen(function* () {
      const { guard, standing } = yield* make(rotating)
      assert.deepStrictEqual(yield* standing, [])
      yield* TestClock.adjust(Date.parse(END) - NOTICE_MILLIS - DAY)
      assert.deepStrictEqual(yield* standing, [])
      yield* TestClock.adjust(DAY)
      assert.deepStrictEqual(yield* standing, [["target_expiring", OLD]])
      guard.list.set(NEW, "waiting")
      assert.deepStrictEqual(yield* standing, [["target_expiring", OLD]])
      guard.list.set(NEW, "active")
      assert.deepStrictEqual(yield* standing, [])
    })
  )

  it.effect("keeps the alert while the node is silent, and clears it when the target is removed", () =>
    Effect.gen(function* () {
      const { guard, standing } = yield* make(rotating)
      yield* TestClock.adjust(Date.parse(END))
      assert.deepStrictEqual(yield* standing, [["target_expiring", OLD]])
      guard.isSilent = true
      guard.list.delete(OLD)
      assert.deepStrictEqual(yield* standing, [["target_expiring", OLD]])
      guard.isSilent = false
      assert.deepStrictEqual(yield* standing, [])
    })
  )

  it.effect("asks nothing for a chain without an end of a target", () =>
    Effect.gen(function* () {
      const { guard, standing } = yield* make(rotating.slice(1))
      yield* TestClock.adjust("30 days")
      assert.deepStrictEqual(yield* standing, [])
      assert.strictEqual(guard.reads, 0)
    })
  )
})
