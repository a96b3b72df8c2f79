import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData, numberToHex } from "viem"
import { sweepEntry } from "../../../src/adapters/evm/abi/contracts.generated.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import type { FeeCover } from "../../../src/domain/FeeCover.ts"
import { sweepGasLimit, TRANSACTION_GAS_CAP } from "../../../src/domain/RelayGas.ts"
import { address } from "../../support/FakeChain.ts"
import { layer, layerOnNodes, layerWith, scene } from "../../support/RelayScene.ts"
import { reverting, source, TOKEN } from "../../support/RelayFixtures.ts"
import { relay } from "../../support/SentSweep.ts"

const settling = { success: true, returnData: numberToHex(950n, { size: 32 }), gasUsed: 150_000n, logs: [] } as const
const failing = { success: false, returnData: reverting("InsufficientOutput"), gasUsed: 60_000n, logs: [] } as const

const UNLISTED = address(0xb9)

/** The network fees of the sweeps cover ten million gas at the scene's price. */
const COVER: FeeCover = { gas: 200_000n, gasPrice: 2_000_000_000n, value: 20_000_000_000_000_000n }

/** Sweeps `a`, `b`, `c` … of owners 1, 2, 3 … */
const submitted = Effect.fnUntraced(function* (
  count: number,
  { tokenIn = TOKEN, ...limit }: { readonly gas?: bigint; readonly tokenIn?: Address.Address } = {}
) {
  const the = yield* scene
  const intents = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
    the.submit({
      id: String.fromCharCode(97 + index),
      owner: index + 1,
      cover: COVER,
      ...limit,
      order: { tokenIn }
    })
  )
  return { ...the, intents }
})

describe("a batch", () => {
  it.effect("is one transaction through the entry, with the authorizations that are needed", () =>
    Effect.gen(function* () {
      const { chain, intent, intents, pending, sent } = yield* submitted(3)
      yield* chain.setCode(address(2), designator(source.contracts.delegate))
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 3 })

      const [transaction, ...others] = yield* sent
      assert.lengthOf(others, 0)
      assert.isDefined(transaction)
      if (transaction === undefined) return
      assert.strictEqual(transaction.to, source.contracts.entry)
      assert.lengthOf(transaction.authorizationList, 2)
      const { args } = decodeFunctionData({ abi: sweepEntry.abi, data: transaction.data })
      const [items = []] = args ?? []
      assert.deepStrictEqual(
        items.map((item) => ({ account: item.account, gasLimit: item.gasLimit })),
        intents.map(({ gas, order }) => ({ account: order.owner, gasLimit: gas }))
      )
      assert.isTrue(transaction.gas >= 3n * 220_000n + 2n * 25_000n)
      assert.isTrue(transaction.gas <= TRANSACTION_GAS_CAP)

      const stored = yield* pending
      assert.deepStrictEqual(stored.intentIds, ["a", "b", "c"])
      for (const id of stored.intentIds) assert.strictEqual((yield* intent(id)).txHash, stored.attempts[0]?.hash)
    }).pipe(Effect.provide(layer))
  )

  it.effect("in which nobody needs an authorization has none", () =>
    Effect.gen(function* () {
      const { chain, sent } = yield* submitted(2)
      for (const owner of [1, 2]) yield* chain.setCode(address(owner), designator(source.contracts.delegate))
      yield* relay
      const [transaction] = yield* sent
      assert.strictEqual(transaction?.to, source.contracts.entry)
      assert.deepStrictEqual(transaction?.authorizationList, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("leaves out what would revert, with its reason, and sends the others", () =>
    Effect.gen(function* () {
      const { chain, givenUp, pending } = yield* submitted(3)
      yield* chain.onSimulate((calls) =>
        Effect.succeed(calls.map(({ to }) => (to === address(2) ? failing : settling)))
      )
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 2 })
      assert.deepStrictEqual((yield* pending).intentIds, ["a", "c"])
      assert.strictEqual(yield* givenUp("b"), "simulation_failed")
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not fail what only fails behind another one's sweep, and sends it later", () =>
    Effect.gen(function* () {
      const { chain, intent, unfinished } = yield* submitted(2)
      yield* chain.onSimulate((calls) =>
        Effect.succeed(calls.map(({ to }) => (calls.length > 1 && to === address(2) ? failing : settling)))
      )
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      assert.strictEqual((yield* intent("b")).status, "submitted")
      yield* TestClock.adjust(3_000)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(
        (yield* unfinished).map(({ intentIds }) => intentIds),
        [["a"], ["b"]]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("is simulated with the gas limits that are sent, those of unlisted tokens in two blocks", () =>
    Effect.gen(function* () {
      const { chain, sent } = yield* submitted(2, { tokenIn: UNLISTED })
      const limits: Array<readonly [block: string | undefined, gas: ReadonlyArray<bigint | undefined>]> = []
      yield* chain.onSimulate((calls, options) =>
        Effect.sync(() => {
          limits.push([options?.within?.block, calls.map(({ gas }) => gas)])
          return calls.map(() => settling)
        })
      )
      yield* relay
      assert.deepStrictEqual(limits, [
        ["next", [220_000n, 220_000n]],
        ["other", [220_000n, 220_000n]]
      ])
      const [transaction] = yield* sent
      const { args } = decodeFunctionData({ abi: sweepEntry.abi, data: transaction?.data ?? "0x" })
      assert.deepStrictEqual(
        args?.[0].map(({ gasLimit }) => gasLimit),
        [220_000n, 220_000n]
      )
    }).pipe(Effect.provide(layerWith({ unlistedLossBudget: 10n ** 18n })))
  )

  it.effect("of listed tokens is simulated in the next block only", () =>
    Effect.gen(function* () {
      const the = yield* submitted(1)
      const blocks: Array<string | undefined> = []
      yield* the.chain.onSimulate((calls, options) =>
        Effect.sync(() => {
          blocks.push(options?.within?.block)
          return calls.map(() => settling)
        })
      )
      yield* relay
      assert.deepStrictEqual(blocks, ["next"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("also holds sweeps whose limits have no room for what others warm, if they settle alone", () =>
    Effect.gen(function* () {
      const { sent } = yield* submitted(3, { gas: 180_000n })
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 3 })
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is split where a transaction would ask for too much gas", () =>
    Effect.gen(function* () {
      const { sent, unfinished } = yield* submitted(4, { gas: 5_000_000n })
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 4 })
      for (const { gas } of yield* sent) assert.isTrue(gas <= TRANSACTION_GAS_CAP)
      const carried = (yield* unfinished).map(({ intentIds }) => intentIds)
      assert.deepStrictEqual(carried, [
        ["a", "b"],
        ["c", "d"]
      ])
    }).pipe(Effect.provide(layer))
  )

  it.effect("has room for the gas of its largest sweep, whatever limit one endpoint tells of the block", () =>
    Effect.gen(function* () {
      const { submit, unfinished } = yield* scene
      for (const [index, gas] of [5_000_000n, 200_000n, 200_000n].entries()) {
        yield* submit({ id: `s${index}`, owner: index + 1, cover: COVER, gas })
      }
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 3 })
      const carried = (yield* unfinished).map(({ intentIds }) => intentIds)
      assert.deepStrictEqual(carried, [["s0"], ["s1", "s2"]])
    }).pipe(
      Effect.provide(
        layerOnNodes((client) => ({
          ...client,
          block: (at) =>
            Effect.map(
              client.block(at),
              Option.map((block) => ({ ...block, gasLimit: 100_000n }))
            )
        }))
      )
    )
  )

  it.effect("asks for no more gas than its lane can pay for", () =>
    Effect.gen(function* () {
      const { chain, lane, sent } = yield* submitted(4, { gas: 500_000n })
      // At 3 gwei: 4,000,000 gas, of which half is kept for what else is on its way.
      yield* chain.setBalance(lane, 12n * 10n ** 15n)
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 4 })
      for (const { gas } of yield* sent) assert.isTrue(gas <= 2_000_000n)
      assert.lengthOf(yield* sent, 2)
    }).pipe(Effect.provide(layer))
  )
})

describe("a sweep whose rehearsals differ", () => {
  const turning = (gasUsed: bigint, success = true) =>
    Effect.gen(function* () {
      const the = yield* submitted(1, { tokenIn: UNLISTED })
      yield* the.chain.onSimulate((calls, options) =>
        Effect.succeed(
          calls.map(() =>
            options?.within?.block === "other"
              ? success
                ? { ...settling, gasUsed }
                : { ...failing, gasUsed }
              : settling
          )
        )
      )
      return the
    })

  it.effect("is not sent if it reverts in another block", () =>
    Effect.gen(function* () {
      const { givenUp, sent } = yield* turning(60_000n, false)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual(yield* givenUp("a"), "simulation_failed")
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not sent if it needs more gas in another block than its quote's limit", () =>
    Effect.gen(function* () {
      const { givenUp, sent } = yield* turning(220_001n)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual(yield* givenUp("a"), "simulation_failed")
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is sent with its quote's limit if it needs no more", () =>
    Effect.gen(function* () {
      const { sent } = yield* turning(220_000n)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      const [only] = yield* sent
      const data = only?.data ?? "0x"
      assert.strictEqual(only?.gas, sweepGasLimit({ data, authorizations: 1, gasLimit: 220_000n }))
    }).pipe(Effect.provide(layer))
  )

  it.effect("of listed tokens waits if it needs more gas now, and is sent when it needs less", () =>
    Effect.gen(function* () {
      const the = yield* submitted(1)
      yield* the.chain.onSimulate((calls) => Effect.succeed(calls.map(() => ({ ...failing, gasUsed: 219_000n }))))
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.isUndefined(yield* the.givenUp("a"))
      yield* the.simulatesWell
      yield* TestClock.adjust(3_000)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
    }).pipe(Effect.provide(layer))
  )
})
