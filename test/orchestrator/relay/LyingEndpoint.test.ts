/** One endpoint of two that lies ends no sweep. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Option, References } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import { designator } from "../../../src/domain/Delegation.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import type { ChainClient, FeesPerGas } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import { reverting, TOKEN } from "../../support/RelayFixtures.ts"
import { layerOnNodes, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"
import * as DifferingEndpoints from "../../support/DifferingEndpoints.ts"

const GWEI = 1_000_000_000n

const OWNER = address(0x01)

/** A lie that ends when a test says so. */
const lying = (lie: (client: ChainClient) => ChainClient) => {
  const state = { isLying: true }
  const nodes = layerOnNodes((client) => {
    const liar = lie(client)
    const asked = <A, E>(ask: (each: ChainClient) => Effect.Effect<A, E>) =>
      Effect.suspend(() => ask(state.isLying ? liar : client))
    const first: ChainClient = {
      ...client,
      accounts: (addresses) => asked((each) => each.accounts(addresses)),
      call: (request) => asked((each) => each.call(request)),
      feesPerGas: asked((each) => each.feesPerGas),
      simulate: (steps, options) => asked((each) => each.simulate(steps, options)),
      transactionCount: (account, block) => asked((each) => each.transactionCount(account, block))
    }
    return DifferingEndpoints.of(first, client)
  })
  return { nodes, state }
}

const reverts = (client: ChainClient): ChainClient => ({
  ...client,
  simulate: (steps) =>
    Effect.succeed(
      steps.map(() => ({ success: false, returnData: reverting("InsufficientOutput"), gasUsed: 150_000n, logs: [] }))
    )
})

/** The lies about a sweep, and the reason that they would end it for. */
const LIES: ReadonlyArray<readonly [string, (client: ChainClient) => ChainClient]> = [
  ["that it reverts", reverts],
  [
    "that its order has expired",
    (client) => ({
      ...client,
      simulate: (steps) =>
        Effect.succeed(steps.map(() => ({ success: false, returnData: reverting("Expired"), gasUsed: 1n, logs: [] })))
    })
  ],
  [
    "that its owner has too few tokens",
    (client) => ({
      ...reverts(client),
      call: (request) => (request.to === TOKEN ? Effect.succeed(numberToHex(0, { size: 32 })) : client.call(request))
    })
  ],
  [
    "that its owner's account runs another delegate",
    (client) => ({
      ...client,
      accounts: (addresses) =>
        Effect.succeed(addresses.map(() => ({ code: designator(address(0x99)), pendingCount: 5n }))),
      transactionCount: (account, block) =>
        account === OWNER ? Effect.succeed(5n) : client.transactionCount(account, block)
    })
  ],
  [
    "that its owner's authorization is used",
    (client) => ({
      ...client,
      accounts: (addresses) => Effect.succeed(addresses.map(() => ({ code: "0x", pendingCount: 5n }))),
      transactionCount: (account, block) =>
        account === OWNER ? Effect.succeed(5n) : client.transactionCount(account, block)
    })
  ]
]

describe("a sweep of which one endpoint says", () => {
  it.effect.each(LIES)("%s is postponed, and sent once that endpoint tells the truth", ([, lie]) => {
    const { nodes, state } = lying(lie)
    return Effect.gen(function* () {
      const { givenUp, intent, submit } = yield* scene
      yield* submit({ id: "a" })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.isUndefined(yield* givenUp("a"))
      state.isLying = false
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.isDefined((yield* intent("a")).txHash)
    }).pipe(Effect.provide(nodes))
  })

  it.effect("that it reverts waits for half a minute if its token is unlisted, which may cause that at will", () =>
    Effect.gen(function* () {
      const { givenUp, submit } = yield* scene
      yield* submit({ id: "a", order: { tokenIn: address(0xb9) } })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.isUndefined(yield* givenUp("a"))
    }).pipe(Effect.provide(lying(reverts).nodes))
  )

  it.effect("that it reverts is refused if the other one says so too", () =>
    Effect.gen(function* () {
      const { givenUp, simulatesRevert, submit } = yield* scene
      yield* simulatesRevert("TransferFailed")
      yield* submit({ id: "a" })
      yield* relay
      assert.strictEqual(yield* givenUp("a"), "simulation_failed")
    }).pipe(Effect.provide(lying(reverts).nodes))
  )
})

it.effect("another block at the height of a confirmed one, of one endpoint, holds up no sweep that is sent", () => {
  const nodes = layerOnNodes((client) =>
    DifferingEndpoints.of(client, {
      ...client,
      block: (which) =>
        Effect.map(
          client.block(which),
          Option.map((block) => (which === "latest" ? block : { ...block, timestamp: block.timestamp + 1n }))
        )
    })
  )
  return Effect.gen(function* () {
    const { bury, submit } = yield* scene
    yield* bury(5)
    yield* submit({ id: "a" })
    assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
  }).pipe(Effect.provide(nodes))
})

describe("a false base fee of one endpoint", () => {
  const feesAt = (gwei: bigint): FeesPerGas => ({
    baseFeePerGas: gwei * GWEI,
    maxPriorityFeePerGas: GWEI,
    maxFeePerGas: 2n * gwei * GWEI + GWEI
  })

  const claiming = (fees: FeesPerGas) => lying((client) => ({ ...client, feesPerGas: Effect.succeed(fees) })).nodes

  const waitingFor = (id: string) =>
    Effect.flatMap(Intents, (intents) => Effect.map(intents.states([id]), ([state]) => state?.waitingFor))

  const feesOf = Effect.fnUntraced(function* (sent: Effect.Effect<ReadonlyArray<{ readonly maxFeePerGas: bigint }>>) {
    return (yield* sent).map(({ maxFeePerGas }) => maxFeePerGas)
  })

  it.effect("makes no sweep wait, and a log names both endpoints", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ fiber, message }) => {
      const { detail } = fiber.getRef(References.CurrentLogAnnotations)
      lines.push(`${String(message)}: ${String(detail)}`)
    })
    return Effect.gen(function* () {
      const { alertKinds, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.isUndefined(yield* waitingFor("a"))
      assert.deepStrictEqual(yield* alertKinds, [])
      assert.isTrue((yield* feesOf(sent)).every((fee) => fee <= 3n * GWEI))
      assert.include(lines, "chain.prices_contradict: first and second gave different answers")
    }).pipe(Effect.provide(claiming(feesAt(200n))), Effect.provide(Logger.layer([logger])))
  })

  it.effect("makes no sweep wait that needs more gas than its quote counted", () =>
    Effect.gen(function* () {
      const { chain, submit } = yield* scene
      const returnData = numberToHex(950n, { size: 32 })
      yield* chain.onSimulate((steps) =>
        Effect.succeed(steps.map(() => ({ success: true, returnData, gasUsed: 900_000n, logs: [] })))
      )
      const cover = { gas: 400_000n, gasPrice: 2n * GWEI, value: 1_500_000n * GWEI }
      yield* submit({ id: "a", gas: 1_000_000n, cover })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.isUndefined(yield* waitingFor("a"))
    }).pipe(Effect.provide(claiming(feesAt(3n))))
  )

  it.effect("holds up no sweep because of the chain's limit", () =>
    Effect.gen(function* () {
      const { submit } = yield* scene
      yield* submit({ id: "a", cover: { gas: 200_000n, gasPrice: 201n * GWEI, value: 50_000_000n * GWEI } })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
    }).pipe(Effect.provide(claiming({ ...feesAt(200n), maxFeePerGas: 100n * GWEI })))
  )

  it.effect("is not read twice for a sweep that is sent", () => {
    const state = { reads: 0 }
    const nodes = layerOnNodes((client) => ({
      ...client,
      feesPerGas: Effect.tap(client.feesPerGas, () => Effect.sync(() => void state.reads++))
    }))
    return Effect.gen(function* () {
      const { submit, sweptBefore } = yield* scene
      yield* sweptBefore(1)
      yield* submit({ id: "a" })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.strictEqual(state.reads, 1)
    }).pipe(Effect.provide(nodes))
  })
})
