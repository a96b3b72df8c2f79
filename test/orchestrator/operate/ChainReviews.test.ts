/** Alerts for a chain that stands still, lacks contracts or is another one. Each clears when its cause goes. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import type { LimitChoice } from "../../../src/domain/Limit.ts"
import * as ChainReviews from "../../../src/orchestrator/operate/ChainReviews.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { Chains, type ChainClient } from "../../../src/ports/shared/Chains.ts"
import { LimitChoices } from "../../../src/ports/shared/LimitChoices.ts"
import { network, pass, type Node as Scripted } from "../../adapters/evm/rpc/scriptedNodes.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as DifferingEndpoints from "../../support/DifferingEndpoints.ts"

const slow = { ...FakeChain.chain, id: 2, name: "slow", blockTimeMillis: 12_000 }

interface Node {
  height: number
  /** Wei per gas. */
  baseFee: bigint
  state: "answers" | "silent"
  readonly missing: Set<string>
  canSimulate: boolean
}

/** Reviews of these chains, which run beside, and their alerts. */
const reviewed = (all: ReadonlyArray<ChainClient>, choices: ReadonlyArray<LimitChoice>) =>
  Layer.build(
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
      Effect.suspend((): Effect.Effect<A> => (node.state === "silent" ? Effect.never : Effect.sync(answer)))
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
  const context = yield* reviewed(all, choices)
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

/** An alert ends once nobody has renewed it for 20 seconds. */
const ENDED = "25 seconds"

const HEADER = {
  hash: `0x${"11".repeat(32)}`,
  parentHash: `0x${"22".repeat(32)}`,
  timestamp: "0x1",
  baseFeePerGas: "0x7",
  gasLimit: "0x1c9c380"
}

/** Lets a minute pass in which requests over HTTP are answered. */
const minute = Effect.repeat(pass("5 seconds"), { times: 11 })

describe("reviews of the chains", () => {
  it.effect("report a chain without a new block for 30 seconds, until there is one", () =>
    Effect.gen(function* () {
      const { kinds, node } = yield* make()
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(yield* kinds, [])
      yield* TestClock.adjust(LATER)
      assert.deepStrictEqual(yield* kinds, ["chain_stale"])
      node.height = 2
      yield* TestClock.adjust(ENDED)
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
      yield* TestClock.adjust(ENDED)
      assert.deepStrictEqual(yield* kinds, ["chain_stale"], "the first block that it sees is not known to be new")
      node.height = 3
      yield* TestClock.adjust(ENDED)
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
      node.height++
      yield* TestClock.adjust(ENDED)
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
      node.height++
      yield* TestClock.adjust(ENDED)
      assert.deepStrictEqual(yield* kinds, [])
    })
  )

  it.effect("report a base fee above the chain's limit without any sweep, until it falls or the limit is raised", () =>
    Effect.gen(function* () {
      const { choices, kinds, node } = yield* make([{ ...FakeChain.chain, maxFeePerGasWei: 9n }])
      const kindsAt = (baseFee: bigint, after: typeof LATER | typeof ENDED = LATER) => {
        node.baseFee = baseFee
        node.height++
        return Effect.andThen(TestClock.adjust(after), kinds)
      }
      assert.deepStrictEqual(yield* kindsAt(9n), [])
      assert.deepStrictEqual(yield* kindsAt(10n), ["fee_limit"])
      node.state = "silent"
      assert.deepStrictEqual(yield* kindsAt(9n), ["fee_limit"], "without an answer, the last finding stands")
      node.state = "answers"
      // A busy chain comes back to its limit: the alert stands until the base fee was below it for five minutes.
      for (const baseFee of [9n, 10n, 9n]) {
        for (let round = 0; round < 10; round += 1) {
          assert.deepStrictEqual(yield* kindsAt(baseFee, ENDED), ["fee_limit"])
        }
      }
      for (let round = 0; round < 3; round += 1) yield* kindsAt(9n, ENDED)
      assert.deepStrictEqual(yield* kindsAt(9n, ENDED), [])
      assert.deepStrictEqual(yield* kindsAt(10n), ["fee_limit"])
      choices.push({ chainId: FakeChain.chain.id, limit: "maxFeePerGasWei", wei: 10n })
      assert.deepStrictEqual(yield* kindsAt(10n, ENDED), [])
    })
  )

  it.effect("report no base fee above the limit that another endpoint contradicts", () => {
    const chain = { ...FakeChain.chain, maxFeePerGasWei: 9n }
    const saying = (baseFeePerGas: bigint) => ({
      ...FakeChain.client({
        block: () =>
          Effect.succeedSome({
            number: 1n,
            hash: `0x${"11".repeat(32)}` as const,
            parentHash: `0x${"22".repeat(32)}` as const,
            timestamp: 1n,
            baseFeePerGas,
            gasLimit: 30_000_000n
          }),
        code: () => Effect.succeed("0x60"),
        canSimulate: Effect.succeed(true)
      }),
      chain
    })
    const kindsBetween = (first: bigint, second: bigint) =>
      Effect.gen(function* () {
        const context = yield* reviewed([DifferingEndpoints.of(saying(first), saying(second))], [])
        yield* Effect.repeat(TestClock.adjust("100 millis"), { times: 99 })
        return (yield* Context.get(context, Alerts).list).map(({ kind }) => kind)
      }).pipe(Effect.scoped)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* kindsBetween(1_000n, 9n), [])
      assert.deepStrictEqual(yield* kindsBetween(1_000n, 10n), ["fee_limit"])
    })
  })

  it.effect("report a node of another chain beside one that answers, until it is corrected", () =>
    Effect.gen(function* () {
      let chainId = "0x1"
      let isDown = false
      const right: Scripted = (method) => {
        switch (method) {
          case "eth_chainId":
            return { result: chainId }
          case "eth_getBlockByNumber":
            return { result: { ...HEADER, number: "0x1" } }
          default:
            return { result: "0x60" }
        }
      }
      const { use } = network({
        elsewhere: (method, params) => (isDown ? "refuse connection" : right(method, params)),
        second: right
      })
      yield* use((client) =>
        Effect.gen(function* () {
          const { list } = Context.get(yield* reviewed([client], []), Alerts)
          const wrong = Effect.map(list, (all) =>
            all.flatMap(({ details, kind }) => (kind === "wrong_chain_id" ? [details["detail"]] : []))
          )
          yield* minute
          assert.deepStrictEqual(yield* wrong, ["elsewhere"])
          isDown = true
          yield* minute
          assert.deepStrictEqual(yield* wrong, ["elsewhere"], "without an answer, the last finding stands")
          isDown = false
          chainId = `0x${FakeChain.chain.id.toString(16)}`
          yield* minute
          assert.deepStrictEqual(yield* wrong, [])
        }).pipe(Effect.scoped)
      )
    })
  )
})
