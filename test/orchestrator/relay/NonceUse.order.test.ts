/** Versions of a transaction that lack an owner, and transactions behind one that was not sent whole. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, numberToHex } from "viem"
import type { FeeCover } from "../../../src/domain/FeeCover.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { ChainUnavailable, SendRejected } from "../../../src/ports/shared/Chains.ts"
import { parse } from "../../../src/orchestrator/relay/Envelope.ts"
import { address } from "../../support/FakeChain.ts"
import { reverting, source } from "../../support/RelayFixtures.ts"
import { layer } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"
import { crowd, ownersIn } from "./crowd.ts"

/** The network fees of the sweeps cover ten million gas at the scene's price. */
const cover: FeeCover = { gas: 200_000n, gasPrice: 2_000_000_000n, value: 20_000_000_000_000_000n }

const away = new ChainUnavailable({ chainId: source.id, method: "eth_call", detail: "timeout" })

const reverted = new ChainUnavailable({ chainId: source.id, method: "eth_call", detail: "reverted", isReverted: true })

/**
 * A crowd of which nodes refuse owner 1, and of which the sweep of owner 3 settles only behind that of the owner `payer`, who pays it.
 * `as`: what owner 3 is to the payer's order. Default: its destination. `failure`: answer to each simulation but the first. Default: its results.
 */
const dependent = Effect.fnUntraced(function* (
  count: number,
  {
    as = "destination",
    failure,
    payer = 1
  }: { readonly as?: "builder" | "destination"; readonly failure?: ChainUnavailable; readonly payer?: number } = {}
) {
  const the = yield* crowd(count, true, (owner) => (owner === payer ? { [as]: address(3) } : undefined))
  the.hostile.add(1)
  const calls: Array<ReadonlyArray<Address.Address>> = []
  yield* the.chain.onSimulate((steps) =>
    Effect.suspend(() => {
      const owners = steps.map(({ to }) => to)
      calls.push(owners)
      if (failure !== undefined && calls.length > 1) return Effect.fail(failure)
      return Effect.succeed(
        owners.map((owner) => {
          const success = owner !== address(3) || owners.includes(address(payer))
          const returnData = success ? numberToHex(950n, { size: 32 }) : reverting("InsufficientOutput")
          return { success, returnData, gasUsed: 150_000n, logs: [] }
        })
      )
    })
  )
  return { ...the, calls }
})

describe("a version that lacks an owner whom nodes refuse", () => {
  it.effect("has no sweep that settles only behind that owner's, which is tried again", () =>
    Effect.gen(function* () {
      const { accepted, calls, givenUp, intent, unfinished } = yield* dependent(4)
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 2 })
      assert.deepStrictEqual(accepted.map(ownersIn), [[address(2), address(4)]])
      // Nobody else of the batch is paid by those that it lacks.
      assert.deepStrictEqual(calls.slice(1), [[address(2), address(3), address(4)]])
      assert.deepStrictEqual(
        (yield* unfinished).map(({ intentIds }) => intentIds),
        [["s2", "s4"]]
      )
      assert.isUndefined((yield* intent("s3")).txHash)
      assert.isUndefined(yield* givenUp("s3"))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* relay).claimed, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([away, reverted])(
    "lacks only the sweep that it may pay if no node says whether that settles",
    (failure) =>
      Effect.gen(function* () {
        const { accepted, blocking, intent } = yield* dependent(4, { failure })
        assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 2 })
        assert.deepStrictEqual(accepted.map(ownersIn), [[address(2), address(4)]])
        assert.isUndefined((yield* intent("s3")).txHash)
        assert.deepStrictEqual(
          (yield* blocking).map(({ details }) => details["intentId"]),
          ["s1"]
        )
      }).pipe(Effect.provide(layer))
  )

  it.effect("lacks also a sweep of the builder whom that owner's sweep pays", () =>
    Effect.gen(function* () {
      const { accepted } = yield* dependent(4, { as: "builder" })
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 2 })
      assert.deepStrictEqual(accepted.map(ownersIn), [[address(2), address(4)]])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is offered without a simulation if that owner's sweep pays none of its accounts", () =>
    Effect.gen(function* () {
      const { accepted, calls, hostile } = yield* dependent(4, { failure: away, payer: 2 })
      hostile.clear()
      hostile.add(4)
      hostile.add(1)
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 2 })
      assert.deepStrictEqual(accepted.map(ownersIn), [[address(2), address(3)]])
      assert.lengthOf(calls, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not offered any more 15 seconds after the first one", () =>
    Effect.gen(function* () {
      const { chain, sent } = yield* crowd(16)
      yield* chain.onSend((raw) =>
        Effect.gen(function* () {
          yield* TestClock.adjust("5 seconds")
          if (parse(raw).authorizationList.length === 0) return keccak256(raw)
          return yield* new SendRejected({ chainId: source.id, reason: "AuthorityBusy", detail: "" })
        })
      )
      assert.strictEqual((yield* relay).sent, 0)
      // A self-send uses the nonce.
      assert.deepStrictEqual(
        (yield* sent).map(({ authorizationList }) => authorizationList.length),
        [16, 8, 4, 0]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not simulated if it has only the sweeps before that owner's", () =>
    Effect.gen(function* () {
      const { calls, hostile } = yield* dependent(3)
      hostile.clear()
      hostile.add(3)
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 2 })
      assert.lengthOf(calls, 1)
    }).pipe(Effect.provide(layer))
  )
})

describe("a transaction behind one that was not sent whole", () => {
  /** Two transactions, of which the first lacks owner 1. `paying`: all owners who pay owner 3. Default: only the payer. */
  const two = Effect.fnUntraced(function* (
    options: Parameters<typeof dependent>[1] & { readonly payer: number; readonly paying?: ReadonlyArray<number> }
  ) {
    const { payer, paying = [payer] } = options
    const the = yield* dependent(0, options)
    for (const owner of [1, 2, 3, 4]) {
      const r = numberToHex(owner, { size: 32 })
      const order = paying.includes(owner) ? { order: { destination: address(3) } } : {}
      yield* the.submit({ id: `s${owner}`, owner, cover, gas: 5_000_000n, submission: { r }, ...order })
    }
    return the
  })

  it.effect("lacks a sweep that settled only behind that", () =>
    Effect.gen(function* () {
      const { accepted, calls } = yield* two({ payer: 1 })
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 2 })
      assert.deepStrictEqual(accepted.map(ownersIn), [[address(2)], [address(4)]])
      assert.deepStrictEqual(calls.slice(1), [[address(2), address(3), address(4)]])
    }).pipe(Effect.provide(layer))
  )

  it.effect("lacks a sweep that the missing one may pay, too, if no node says whether it settles", () =>
    Effect.gen(function* () {
      const { accepted } = yield* two({ payer: 2, paying: [1, 2], failure: away })
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 1 })
      assert.deepStrictEqual(accepted.map(ownersIn), [[address(2)]])
    }).pipe(Effect.provide(layer))
  )

  it.effect("has a sweep that settles behind one that was sent", () =>
    Effect.gen(function* () {
      const { accepted, calls } = yield* two({ payer: 2 })
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 3 })
      assert.deepStrictEqual(accepted.map(ownersIn), [[address(2)], [address(3), address(4)]])
      assert.deepStrictEqual(calls.slice(1), [[address(2), address(3), address(4)]])
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([away, reverted])(
    "has only what one that was sent may pay if no node says whether it settles",
    (failure) =>
      Effect.gen(function* () {
        const { accepted, givenUp, intent } = yield* two({ payer: 2, failure })
        assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 2 })
        assert.deepStrictEqual(accepted.map(ownersIn), [[address(2)], [address(3)]])
        assert.isUndefined((yield* intent("s4")).txHash)
        assert.isUndefined(yield* givenUp("s4"))
      }).pipe(Effect.provide(layer))
  )
})
