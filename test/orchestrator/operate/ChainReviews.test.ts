/** Alerts for a chain that stands still, lacks contracts or is another one. Each clears when its cause goes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import type { LimitChoice } from "../../../src/domain/Limit.ts"
import * as ChainReviews from "../../../src/orchestrator/operate/ChainReviews.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { Chains, type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { LimitChoices } from "../../../src/ports/shared/LimitChoices.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const slow = { ...FakeChain.chain, id: 2, name: "slow", blockTimeMillis: 12_000 }

interface Node {
  height: number
  /** Wei per gas. */
  baseFee: bigint
  state: "answers" | "silent" | "another chain"
  readonly missing: Set<string>
  canSimulate: boolean
}

/** Chains whose nodes a test changes, limits that an operator chose, and reviews that run beside. */
const make = Effect.fnUntraced(function* (clients: ReadonlyArray<ChainClient["chain"]> = [FakeChain.chain]) {
  const choices: Array<LimitChoice> = []
  const nodes = clients.map((): Node => ({
    height: 1,
    baseFee: 1n,
    state: "answers",
    missing: new Set(),
    canSimulate: true
  }))
  const all = clients.map((chain, index): ChainClient => {
    const node = nodes[index] ?? assert.fail()
    const answering = <A>(answer: () => A) =>
      Effect.suspend((): Effect.Effect<A, ChainUnavailable> => {
        if (node.state === "silent") return Effect.never
        if (node.state === "answers") return Effect.sync(answer)
        const method = "eth_getBlockByNumber"
        const failure = { chainId: chain.id, method, detail: "127.0.0.1: another chain" }
        return Effect.fail(new ChainUnavailable({ ...failure, isOtherChain: true }))
      })
    return {
      ...FakeChain.client({
        block: () =>
          answering(() =>
            Option.some({
              number: BigInt(node.height),
              hash: `0x${node.height.toString(16).padStart(64, "0")}` as const,
              parentHash: `0x${"00".repeat(32)}` as const,
              timestamp: BigInt((node.height - 1) * 40),
              baseFeePerGas: node.baseFee,
              gasLimit: 30_000_000n
            })
          ),
        code: (address) => answering(() => (node.missing.has(address) ? "0x" : "0x60")),
        canSimulate: answering(() => node.canSimulate)
      }),
      chain
    }
  })
  const context = yield* Layer.build(
    ChainReviews.layer.pipe(
      Layer.provide(Layer.succeed(Chains, { all, get: () => Effect.die("not asked") })),
      Layer.provide(
        Layer.succeed(
          LimitChoices,
          Effect.sync(() => [...choices])
        )
      ),
      Layer.provideMerge(AlertsInMemory.layer)
    )
  )
  const alerts = Effect.map(
    Effect.provide(
      Effect.flatMap(Alerts, ({ list }) => list),
      context
    ),
    (standing) => standing.map(({ kind, message }) => ({ kind, message }))
  )
  const kinds = Effect.map(alerts, (standing) => standing.map(({ kind }) => kind))
  const [first] = nodes
  assert.isDefined(first)
  return { alerts, choices, kinds, node: first, nodes }
})

/** Several reviews of a node that may be silent. */
const LATER = "10 seconds"

describe("reviews of the chains", () => {
  it.effect("report a chain without a new block for 30 seconds, until there is one", () =>
    Effect.gen(function* () {
      const { kinds, node } = yield* make()
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(yield* kinds, [])
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, ["chain_stale"])
      node.height = 2
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, [])
    })
  )

  it.effect("report a node that is silent in the same way", () =>
    Effect.gen(function* () {
      const { kinds, node } = yield* make()
      node.state = "silent"
      yield* TestClock.adjust("40 seconds")
      assert.deepStrictEqual(yield* kinds, ["chain_stale"])
      node.state = "answers"
      node.height = 2
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, [])
    })
  )

  it.effect("wait five block times on a slow chain, and for no other chain", () =>
    Effect.gen(function* () {
      const { alerts, nodes } = yield* make([FakeChain.chain, slow])
      const [fast] = nodes
      if (fast !== undefined) fast.state = "silent"
      yield* TestClock.adjust("55 seconds")
      assert.deepStrictEqual(
        (yield* alerts).map(({ message }) => message.split(" ")[0]),
        [FakeChain.chain.name]
      )
      yield* TestClock.adjust(LATER)
      assert.lengthOf(yield* alerts, 2)
    })
  )

  it.effect("name missing contracts, until they are there", () =>
    Effect.gen(function* () {
      const { alerts, kinds, node } = yield* make()
      node.missing.add(FakeChain.chain.contracts.guard)
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, ["contracts_missing"])
      assert.include((yield* alerts)[0]?.message, "guard")
      node.missing.clear()
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, [])
    })
  )

  it.effect("report a chain on which nothing can be simulated, until an endpoint can", () =>
    Effect.gen(function* () {
      const { kinds, node } = yield* make()
      node.canSimulate = false
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, ["simulation_unavailable"])
      // Without an answer, the last finding stands.
      node.state = "silent"
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, ["simulation_unavailable"])
      node.state = "answers"
      node.canSimulate = true
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, [])
    })
  )

  it.effect("report a base fee above the chain's limit without any sweep, until it falls or the limit is raised", () =>
    Effect.gen(function* () {
      const { choices, kinds, node } = yield* make([{ ...FakeChain.chain, maxFeePerGasWei: 9n }])
      const kindsAt = (baseFee: bigint) => {
        node.baseFee = baseFee
        node.height++
        return Effect.andThen(TestClock.adjust(LATER), kinds)
      }
      assert.deepStrictEqual(yield* kindsAt(9n), [])
      assert.deepStrictEqual(yield* kindsAt(10n), ["fee_limit"])
      node.state = "silent"
      assert.deepStrictEqual(yield* kindsAt(9n), ["fee_limit"], "without an answer, the last finding stands")
      node.state = "answers"
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, [])
      assert.deepStrictEqual(yield* kindsAt(10n), ["fee_limit"])
      choices.push({ chainId: FakeChain.chain.id, limit: "maxFeePerGasWei", wei: 10n })
      assert.deepStrictEqual(yield* kindsAt(10n), [])
    })
  )

  it.effect("report nodes of another chain, until they are corrected", () =>
    Effect.gen(function* () {
      const { kinds, node } = yield* make()
      node.state = "another chain"
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, ["wrong_chain_id"])
      node.state = "answers"
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, [])
    })
  )
})
