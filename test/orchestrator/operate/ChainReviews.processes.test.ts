/** Alerts about one chain that several processes review, each with nodes of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as ChainReviews from "../../../src/orchestrator/operate/ChainReviews.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { LimitChoices } from "../../../src/ports/shared/LimitChoices.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as SharedAlerts from "../../support/SharedAlerts.ts"

const KINDS = ["chain_stale", "contracts_missing", "fee_limit", "simulation_unavailable", "wrong_chain_id"] as const

/** A node of one process. It causes the alert of this kind. */
interface Node {
  cause: (typeof KINDS)[number] | undefined
}

const chain = { ...FakeChain.chain, maxFeePerGasWei: 9n }

/** The chain has a new block every ten seconds. */
const blockOf = ({ cause }: Node) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const number = BigInt(Math.floor(now / 10_000))
    const block = {
      number,
      hash: `0x${number.toString(16).padStart(64, "0")}` as const,
      parentHash: `0x${"00".repeat(32)}` as const,
      timestamp: number,
      baseFeePerGas: cause === "fee_limit" ? 10n : 1n,
      gasLimit: 30_000_000n
    }
    return cause === "chain_stale" ? Effect.never : Effect.succeed(Option.some(block))
  })

const clientOf = (node: Node) => ({
  ...FakeChain.client({
    block: () => blockOf(node),
    code: () => Effect.sync(() => (node.cause === "contracts_missing" ? "0x" : "0x60")),
    canSimulate: Effect.sync(() => node.cause !== "simulation_unavailable"),
    elsewhere: Effect.sync(() => (node.cause === "wrong_chain_id" ? ["https://elsewhere"] : []))
  }),
  chain
})

/** Starts a process with a node of its own over the shared alerts. */
const start = Effect.fnUntraced(function* (cause: Node["cause"]) {
  const node: Node = { cause }
  const scope = yield* Scope.make()
  yield* ChainReviews.layer.pipe(
    Layer.provide(Layer.succeed(Chains, { all: [clientOf(node)], get: () => Effect.die("not asked") })),
    Layer.provide(Layer.succeed(LimitChoices, Effect.succeed([]))),
    Layer.buildWithScope(scope)
  )
  return { node, stop: Scope.close(scope, Exit.void) }
})

/** Time for which a process holds the alert after its end: the base fee has to stay within its limit. */
const heldOf = (kind: Node["cause"]) => (kind === "fee_limit" ? "300 seconds" : "0 seconds")

/** The beginning of the only alert. */
const raised = (kind: Node["cause"]) =>
  Effect.gen(function* () {
    yield* TestClock.adjust("40 seconds")
    const [alert, ...others] = yield* Effect.flatMap(Alerts, ({ list }) => list)
    assert.strictEqual(alert?.kind, kind)
    assert.lengthOf(others, 0)
    return alert?.sinceMs ?? assert.fail()
  })

describe.each(KINDS)("the alert %s of several processes", (kind) => {
  it.effect("stands from its beginning beside a process with a healthy node, until 30 seconds after the end", () =>
    Effect.gen(function* () {
      const failing = yield* start(kind)
      yield* start(undefined)
      const original = yield* raised(kind)
      yield* SharedAlerts.stands(original, "3 minutes")
      failing.node.cause = undefined
      yield* SharedAlerts.stands(original, heldOf(kind))
      yield* SharedAlerts.stands(original, "14 seconds")
      yield* SharedAlerts.ends("16 seconds")
    }).pipe(Effect.scoped, Effect.provide(SharedAlerts.layer))
  )

  it.effect("is cleared within 30 seconds by another process after its own has gone", () =>
    Effect.gen(function* () {
      const failing = yield* start(kind)
      yield* start(undefined)
      yield* raised(kind)
      yield* failing.stop
      yield* SharedAlerts.ends("30 seconds")
    }).pipe(Effect.scoped, Effect.provide(SharedAlerts.layer))
  )

  it.effect("stands until the last process has seen the end", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* start(kind), yield* start(kind)]
      const original = yield* raised(kind)
      first.node.cause = undefined
      yield* SharedAlerts.stands(original, "3 minutes")
      second.node.cause = undefined
      yield* SharedAlerts.stands(original, heldOf(kind))
      yield* SharedAlerts.ends("30 seconds")
    }).pipe(Effect.scoped, Effect.provide(SharedAlerts.layer))
  )

  it.effect("is taken over by the next process on the same node", () =>
    Effect.gen(function* () {
      const before = yield* start(kind)
      const original = yield* raised(kind)
      yield* before.stop
      yield* start(kind)
      yield* SharedAlerts.stands(original, "2 minutes")
    }).pipe(Effect.scoped, Effect.provide(SharedAlerts.layer))
  )
})

describe("the reviews of a process", () => {
  it.effect("share one listing of the alerts in each round", () =>
    Effect.gen(function* () {
      yield* start(undefined)
      const { lists } = yield* SharedAlerts.SharedAlerts
      yield* TestClock.adjust("58 seconds")
      assert.strictEqual(lists(), 12)
    }).pipe(Effect.scoped, Effect.provide(SharedAlerts.layer))
  )
})
