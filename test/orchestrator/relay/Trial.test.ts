/** Sweeps are simulated before they are sent. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { numberToHex } from "viem"
import type * as Address from "../../../src/domain/Address.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import type { FeeCover } from "../../../src/domain/FeeCover.ts"
import type { SimulatedStep, Surroundings } from "../../../src/ports/shared/Simulation.ts"
import { address } from "../../support/FakeChain.ts"
import { reverting, source } from "../../support/RelayFixtures.ts"
import { layer, layerOnNodes, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"
import { wallet } from "./wallet.ts"

describe("the simulation of sweeps before they are sent", () => {
  it.effect("puts no code at an address that a token knows, for one sweep as for several", () => {
    const seen: Array<ReadonlyArray<SimulatedStep>> = []
    const nodes = layerOnNodes((client) => ({
      ...client,
      simulate: (steps, options) => {
        seen.push(steps)
        return client.simulate(steps, options)
      }
    }))
    return Effect.gen(function* () {
      const { submit } = yield* scene
      yield* submit({ id: "a", owner: 1 })
      yield* submit({ id: "b", owner: 2 })
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 2 })
      yield* submit({ id: "c", owner: 3 })
      yield* relay
      assert.deepStrictEqual(
        seen.map(({ length }) => length),
        [2, 1]
      )
      // A sender has the code of the simulation, so none is named.
      assert.isTrue(seen.flat().every(({ from }) => from === undefined))
    }).pipe(Effect.provide(nodes))
  })

  it.effect("has the entry and the authorized accounts warm, as the transaction has, and cold in another block", () => {
    const seen: Array<readonly [Surroundings["block"], Surroundings["warm"]]> = []
    const nodes = layerOnNodes((client) => ({
      ...client,
      simulate: (steps, options) => {
        seen.push([options?.within?.block, options?.within?.warm])
        return client.simulate(steps, options)
      }
    }))
    return Effect.gen(function* () {
      const { chain, submit } = yield* scene
      const { entry } = source.contracts
      yield* chain.setCode(address(2), designator(source.contracts.delegate))
      for (const owner of [1, 2, 3]) yield* submit({ id: `s${owner}`, owner })
      yield* relay
      assert.deepStrictEqual(seen.splice(0), [["next", [entry, address(1), address(3)]]])
      yield* submit({ id: "unlisted", owner: 4, order: { tokenIn: address(0xb9) } })
      yield* relay
      assert.deepStrictEqual(seen, [
        ["next", [entry, address(4)]],
        ["other", []]
      ])
    }).pipe(Effect.provide(nodes))
  })
})

describe("a sweep that settled behind others of which the transaction has no room for all", () => {
  /** The network fees of the sweeps cover ten million gas at the scene's price. */
  const cover: FeeCover = { gas: 200_000n, gasPrice: 2_000_000_000n, value: 20_000_000_000_000_000n }

  const settled = { success: true, returnData: numberToHex(1n, { size: 32 }), gasUsed: 150_000n, logs: [] } as const

  /** Four legs of owner 1, of which the transaction has two, and the sweep of owner 2, which settles as `settles` says. */
  const behindLegs = Effect.fnUntraced(function* (settles: (legs: number) => boolean) {
    const legs = ["w", "x", "y", "z"].map((id) => ({ id, gas: 5_000_000n, cover }))
    const the = yield* wallet(legs)
    const calls: Array<ReadonlyArray<Address.Address>> = []
    yield* the.chain.onSimulate((steps) =>
      Effect.sync(() => {
        calls.push(steps.map(({ to }) => to))
        const before = steps.filter(({ to }) => to === address(1)).length
        return steps.map(({ to }) =>
          to === address(1) || settles(before)
            ? settled
            : { ...settled, success: false, returnData: reverting("InsufficientOutput") }
        )
      })
    )
    yield* the.submit({ id: "z last", owner: 2, cover })
    return { ...the, lengths: Effect.sync(() => calls.splice(0).map(({ length }) => length)) }
  })

  it.effect("is simulated again in its place, and postponed if it fails there", () =>
    Effect.gen(function* () {
      const { givenUp, intent, lengths } = yield* behindLegs((legs) => legs === 4)
      assert.deepStrictEqual(yield* relay, { claimed: 5, sent: 2 })
      assert.deepStrictEqual(yield* lengths, [5, 3])
      assert.isUndefined((yield* intent("z last")).txHash)
      assert.isUndefined(yield* givenUp("z last"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is sent if it settles there", () =>
    Effect.gen(function* () {
      const { lengths } = yield* behindLegs((legs) => legs >= 2)
      assert.deepStrictEqual(yield* relay, { claimed: 5, sent: 3 })
      assert.deepStrictEqual(yield* lengths, [5, 3])
    }).pipe(Effect.provide(layer))
  )
})

describe("a sweep that settled behind one that its owner has not paid for", () => {
  it.effect("is simulated again before it, since that one is sent last, and postponed if it fails there", () =>
    Effect.gen(function* () {
      const { chain, intent, submit, sweptBefore } = yield* scene
      yield* sweptBefore(1, { gas: 200_000n, gasPrice: 2_000_000_000n, value: 1n })
      yield* sweptBefore(2)
      const calls: Array<ReadonlyArray<Address.Address>> = []
      yield* chain.onSimulate((steps) =>
        Effect.sync(() => {
          const owners = steps.map(({ to }) => to)
          calls.push(owners)
          return owners.map((owner) => ({
            success: owner === address(1) || owners.indexOf(owner) > owners.indexOf(address(1)),
            returnData: numberToHex(950n, { size: 32 }),
            gasUsed: 150_000n
          }))
        })
      )
      yield* submit({ id: "a", owner: 1 })
      yield* submit({ id: "b", owner: 2 })
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      assert.deepStrictEqual(calls, [
        [address(1), address(2)],
        [address(2), address(1)]
      ])
      assert.isDefined((yield* intent("a")).txHash)
      assert.strictEqual((yield* intent("b")).status, "submitted")
      assert.isUndefined((yield* intent("b")).txHash)
    }).pipe(Effect.provide(layer))
  )
})
