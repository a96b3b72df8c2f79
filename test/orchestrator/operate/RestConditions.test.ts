/** Proofs that a transfer of a lane's rest is mined, while the node that tells the lane's transaction count is behind or right. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Option } from "effect"
import { keccak256, numberToHex } from "viem"
import type { Hash } from "../../../src/domain/Hex.ts"
import { LaneDesk } from "../../../src/orchestrator/operate/LaneDesk.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { source } from "../../support/RelayFixtures.ts"
import { pass } from "../../adapters/evm/rpc/scriptedNodes.ts"
import { CHANGE, FEES, layer, retired } from "./LaneScene.ts"

/** The desk of another process over the same book and chain, whose nodes have other receipts. */
const deskWith = (receiptOf: (client: ChainClient) => ChainClient["receipt"]) =>
  Effect.map(Layer.build(Layer.fresh(LaneDesk.layer)), Context.get(LaneDesk)).pipe(
    Effect.updateService(Chains, (own) => {
      const changed = (client: ChainClient) => ({ ...client, receipt: receiptOf(client) })
      return { all: own.all.map(changed), get: (chainId) => Effect.map(own.get(chainId), changed) }
    })
  )

const unavailable = Effect.fail(
  new ChainUnavailable({
    chainId: source.id,
    method: "eth_getTransactionReceipt",
    detail: "fewer than two endpoints answered"
  })
)

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
      const desk = yield* deskWith(
        ({ receipt }) =>
          (hash, scope) =>
            Effect.suspend(() => {
              scopes.add(scope)
              return receipt(hash, scope)
            })
      )
      yield* chain.setBalance(lane, 10n ** 17n)
      yield* desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
      assert.deepStrictEqual([...scopes], ["everywhere"])
    }).pipe(Effect.provide(layer))
  )
})

describe("a transfer that the lane cannot pay for any more", () => {
  /** The sent transfer. `at`: an operator's next steps at nodes with other receipts, whose lookups are in `lookedUp`. */
  const unpaid = Effect.gen(function* () {
    const given = yield* retired
    const { chain, lane, other } = given
    const wanted = { chainId: source.id, recipient: other }
    const first = yield* given.desk.empty(lane, wanted, CHANGE)
    const lookedUp: Array<Hash> = []
    const noted = (receiptOf: (client: ChainClient) => ChainClient["receipt"]) =>
      deskWith(
        (client) => (hash, scope) =>
          Effect.suspend(() => {
            lookedUp.push(hash)
            return receiptOf(client)(hash, scope)
          })
      )
    const at = (receiptOf: (client: ChainClient) => ChainClient["receipt"]) =>
      Effect.map(noted(receiptOf), (desk) => ({
        empty: Effect.result(desk.empty(lane, wanted, CHANGE)),
        told: Effect.map(desk.list, (lanes) =>
          lanes.flatMap(({ chains }) => chains.map((each) => each.waiting)).join("")
        )
      }))
    yield* chain.setBalance(lane, 10n ** 17n)
    return { ...given, at, first, lookedUp }
  })

  const isReplaced = Effect.fnUntraced(function* ({ first }: Effect.Success<typeof unpaid>, { empty, told }: Desk) {
    assert.include(yield* told, "is not mined")
    const outcome = yield* empty
    if (outcome._tag === "Failure") return yield* outcome.failure
    assert.notStrictEqual(outcome.success.txHash, first.txHash)
  })

  const isMined = Effect.fnUntraced(function* ({ empty, told }: Desk) {
    assert.include(yield* told, "3 confirmations")
    const outcome = yield* empty
    if (outcome._tag === "Success" || outcome.failure._tag !== "LaneRefused") return yield* Effect.die(outcome)
    assert.include(outcome.failure.detail ?? "", "is mined")
  })

  type Desk = Effect.Success<ReturnType<Effect.Success<typeof unpaid>["at"]>>

  /** An endpoint, `halted`, has the receipt from a block that a reorg dropped. */
  const orphaned = Effect.gen(function* () {
    const given = yield* unpaid
    const { at, chain, client, first } = given
    yield* chain.mine([{ hash: first.txHash }])
    const receipt = yield* client.receipt(first.txHash)
    assert.isTrue(Option.isSome(receipt))
    yield* chain.reorg(1)
    const halted = yield* at(
      (nodes) => (hash, scope) =>
        scope === "everywhere" && hash === first.txHash ? Effect.succeed(receipt) : nodes.receipt(hash, scope)
    )
    return { ...given, halted }
  })

  it.effect("is replaced, although an endpoint has its receipt from a fork that ended", () =>
    Effect.gen(function* () {
      const given = yield* orphaned
      yield* given.chain.mine()
      yield* isReplaced(given, given.halted)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is mined if the canonical chain has it too, or if the block of its receipt has not arrived yet", () =>
    Effect.gen(function* () {
      const { chain, first, halted } = yield* orphaned
      yield* isMined(halted)
      yield* chain.mine([{ hash: first.txHash }])
      yield* isMined(halted)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is judged by one endpoint if too few of them answer", () =>
    Effect.gen(function* () {
      const given = yield* unpaid
      const { at, chain, first } = given
      const desk = yield* at(
        ({ receipt }) =>
          (hash, scope) =>
            scope === undefined ? receipt(hash) : unavailable
      )
      yield* isReplaced(given, desk)
      yield* chain.mine([{ hash: first.txHash }])
      yield* isMined(desk)
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "is judged by one endpoint if others are silent, so that the list of lanes can still tell what it lacks",
    () =>
      Effect.gen(function* () {
        const { at, chain, lane } = yield* unpaid
        yield* chain.setBalance(lane, 0n)
        const { told } = yield* at(
          ({ receipt }) =>
            (hash, scope) =>
              scope === undefined ? receipt(hash) : Effect.never
        )
        const telling = yield* Effect.forkChild(told)
        yield* pass("1 second")
        assert.isDefined(telling.pollUnsafe())
        assert.include(yield* Fiber.join(telling), "Send at least")
      }).pipe(Effect.provide(layer))
  )

  /** Versions that were recorded after the first, oldest first. */
  const later = Array.from({ length: 50 }, (_, index) => keccak256(numberToHex(index, { size: 32 })))

  const recorded = Effect.gen(function* () {
    const given = yield* unpaid
    const { note } = yield* LaneBook
    for (const txHash of later) {
      const details = { txHash, replaces: given.first.txHash }
      yield* note({ actor: "", action: "lane.empty", subject: given.lane, details })
    }
    return given
  })

  it.effect("has only its newest versions and the first looked up", () =>
    Effect.gen(function* () {
      const given = yield* recorded
      const { at, first, lookedUp } = given
      yield* (yield* at(({ receipt }) => receipt)).told
      assert.deepStrictEqual(lookedUp, [...later.slice(-7).toReversed(), first.txHash])
    }).pipe(Effect.provide(layer))
  )

  it.effect.each(["silent", "failing"] as const)(
    "is mined by the first receipt, while other lookups are %s",
    (others) =>
      Effect.gen(function* () {
        const { at, chain, lookedUp } = yield* recorded
        const [newest] = later.slice(-1)
        if (newest === undefined) return yield* Effect.die("no version")
        yield* chain.mine([{ hash: newest }])
        const desk = yield* at(({ receipt }) => (hash, scope) => {
          if (hash === newest) return receipt(hash, scope)
          return others === "silent" ? Effect.never : unavailable
        })
        const judging = yield* Effect.forkChild(isMined(desk))
        yield* pass(0)
        assert.isDefined(judging.pollUnsafe())
        yield* Fiber.join(judging)
        if (others === "silent") assert.isBelow(new Set(lookedUp).size, 8)
      }).pipe(Effect.provide(layer))
  )
})
