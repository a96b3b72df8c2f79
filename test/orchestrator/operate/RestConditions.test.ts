/** Transfers of a lane's rest that are mined, while the node that tells the lane's transaction count is behind. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Hash } from "../../../src/domain/Hex.ts"
import { LaneDesk } from "../../../src/orchestrator/operate/LaneDesk.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { source } from "../../support/RelayFixtures.ts"
import { CHANGE, FEES, layer, retired } from "./LaneScene.ts"

describe("a transfer that is mined, while the lane's transaction count comes from a node without that block", () => {
  /** A sent transfer, and the operator's next steps. `mine`: mines a version and leaves the lane this balance. */
  const behind = Effect.gen(function* () {
    const given = yield* retired
    const { chain, desk, lane, other } = given
    const empty = desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
    const first = yield* empty
    const mine = (hash: Hash, wei: bigint) => Effect.andThen(chain.mine([{ hash }]), chain.setBalance(lane, wei))
    const told = Effect.map(desk.list, (lanes) =>
      lanes.flatMap(({ address, chains }) => (address === lane ? chains.map(({ waiting }) => waiting) : [])).join("")
    )
    const left = Effect.all({ sent: chain.sent, log: desk.log })
    return { ...given, empty, first, left, mine, told }
  })

  const isMined = Effect.fnUntraced(function* ({ empty, left, told }: Effect.Success<typeof behind>) {
    const before = yield* left
    const refused = yield* Effect.flip(empty)
    if (refused._tag !== "LaneRefused") return yield* Effect.die(refused)
    assert.strictEqual(refused.reason, "in_flight")
    assert.include(refused.detail ?? "", "is mined")
    assert.deepStrictEqual(yield* left, before)
    const text = yield* told
    assert.notInclude(text, "Send at least")
    assert.include(text, "3 confirmations")
  })

  it.effect.each([0n, 10n ** 17n])("is neither replaced nor in need of money, with %d wei left", (wei) =>
    Effect.gen(function* () {
      const given = yield* behind
      yield* given.mine(given.first.txHash, wei)
      yield* isMined(given)
      // The base fee has risen since.
      yield* given.chain.setFees({ ...FEES, baseFeePerGas: 3_000n, maxFeePerGas: 6_000n })
      yield* isMined(given)
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([0n, 10n ** 17n])("is known by any of its versions, with %d wei left", (wei) =>
    Effect.gen(function* () {
      const given = yield* behind
      yield* given.chain.setBalance(given.lane, 10n ** 17n)
      const second = yield* given.empty
      yield* given.chain.setBalance(given.lane, 10n ** 16n)
      const third = yield* given.empty
      assert.strictEqual(new Set([given.first.txHash, second.txHash, third.txHash]).size, 3)
      yield* given.mine(second.txHash, wei)
      yield* isMined(given)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not judged while no node tells if it is mined", () =>
    Effect.gen(function* () {
      const { chain, empty, first, left, mine, told } = yield* behind
      yield* mine(first.txHash, 0n)
      const before = yield* left
      yield* chain.fail("receipt")
      assert.strictEqual((yield* Effect.flip(empty))._tag, "ChainUnavailable")
      assert.notInclude(yield* told, "Send at least")
      assert.deepStrictEqual(yield* left, before)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is asked of all endpoints, since one of them may be behind", () =>
    Effect.gen(function* () {
      const { chain, lane, other } = yield* behind
      const scopes = new Set<string | undefined>()
      const desk = yield* Effect.map(Layer.build(Layer.fresh(LaneDesk.layer)), Context.get(LaneDesk)).pipe(
        Effect.updateService(Chains, (own) => ({
          ...own,
          get: (chainId) =>
            Effect.map(own.get(chainId), (client) => ({
              ...client,
              receipt: (...[hash, scope]: Parameters<typeof client.receipt>) =>
                Effect.andThen(
                  Effect.sync(() => scopes.add(scope)),
                  client.receipt(hash, scope)
                )
            }))
        }))
      )
      yield* chain.setBalance(lane, 10n ** 17n)
      yield* desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
      assert.deepStrictEqual([...scopes], ["everywhere"])
    }).pipe(Effect.provide(layer))
  )
})
