/** The routes about lanes, and operators' tokens that are being replaced. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Address from "../../../src/domain/Address.ts"
import { LaneRefused, UnknownLane } from "../../../src/orchestrator/operate/LaneDesk.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import * as LaneScene from "../../orchestrator/operate/LaneScene.ts"
import { source } from "../../support/RelayFixtures.ts"
import { expectAnswer, expectError, storeDown } from "./Expect.ts"
import { serve } from "./Harness.ts"

const LANE = Address.of(`0x${"11".repeat(20)}`)
const OTHER = Address.of(`0x${"22".repeat(20)}`)
const TOKEN = "operator-token"

const view = {
  address: LANE,
  state: "draining" as const,
  sinceMs: 7,
  hasKey: true,
  isAnswering: true,
  chains: [{ chainId: 8453, name: "base", balance: 10n ** 18n, inFlight: 1 }]
}
const shown = { ...view, chains: [{ ...view.chains[0], balance: "1000000000000000000" }] }

const desk = {
  list: Effect.succeed([view]),
  log: Effect.succeed([]),
  move: () => Effect.succeed(view),
  empty: () =>
    Effect.succeed({ lane: LANE, chainId: 8453, recipient: OTHER, amount: 5n, txHash: `0x${"aa".repeat(32)}` as const })
}

const withToken = { adminToken: Redacted.make(TOKEN) }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const post = (body: unknown) => ({
  method: "POST",
  headers: { ...bearer(TOKEN), "content-type": "application/json" },
  body: JSON.stringify(body)
})

const STATE = `/admin/lanes/${LANE}/state`
const REST = `/admin/lanes/${LANE}/rest`
const drain = post({ state: "draining" })
const rest = post({ chainId: 8453, recipient: OTHER })

describe("the routes about lanes", () => {
  it.effect("answer an operator", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({ lanes: desk }, withToken)
      expectAnswer(yield* call("/admin/lanes", { headers: bearer(TOKEN) }), 200, [shown])
      expectAnswer(yield* call(STATE, drain), 200, shown)
      expectAnswer(yield* call(REST, rest), 200, {
        lane: LANE,
        chainId: 8453,
        recipient: OTHER,
        amount: "5",
        txHash: `0x${"aa".repeat(32)}`
      })
      expectAnswer(yield* call("/admin/log", { headers: bearer(TOKEN) }), 200, [])
      for (const [path, init] of [
        ["/admin/lanes", {}],
        [STATE, { ...drain, headers: { "content-type": "application/json" } }],
        [REST, { ...rest, headers: { "content-type": "application/json" } }],
        ["/admin/log", {}]
      ] as const) {
        expectError(yield* call(path, init), 401, "unauthorized")
      }
    })
  )

  it.effect("refuse with the reason", () =>
    Effect.gen(function* () {
      const refusing = {
        ...desk,
        move: () => Effect.fail(new LaneRefused({ reason: "last_lane" })),
        empty: () => Effect.fail(new LaneRefused({ reason: "recipient_not_allowed", detail: "repeat it" }))
      }
      const { call } = yield* serve({ lanes: refusing }, withToken)
      expectAnswer(yield* call(STATE, drain), 409, { error: "lane_not_changed", reason: "last_lane" })
      expectAnswer(yield* call(REST, rest), 409, {
        error: "lane_not_changed",
        reason: "recipient_not_allowed",
        detail: "repeat it"
      })
      const unknown = yield* serve({ lanes: { ...desk, move: () => Effect.fail(new UnknownLane()) } }, withToken)
      expectError(yield* unknown.call(STATE, drain), 404, "not found")
      const silent = new ChainUnavailable({ chainId: 8453, method: "send", detail: "5ec4e7" })
      const down = yield* serve({ lanes: { ...desk, list: storeDown, empty: () => Effect.fail(silent) } }, withToken)
      expectError(yield* down.call(REST, rest), 503, "chain unavailable")
      expectError(yield* down.call("/admin/lanes", { headers: bearer(TOKEN) }), 503, "internal error")
      assert.strictEqual((yield* down.call(STATE, post({ state: "gone" }))).status, 422)
    })
  )
})

describe("a transfer of a lane's rest at the operator's limit of fees", () => {
  it.effect("is refused with the limit that it needs before any version is signed", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* LaneScene.retired
      yield* chain.setFees({ baseFeePerGas: 3_000n, maxFeePerGas: 2_500n, maxPriorityFeePerGas: 1n })
      const { call } = yield* serve({ lanes: desk }, withToken)
      const moving = call(`/admin/lanes/${lane}/rest`, post({ chainId: source.id, recipient: other }))
      expectAnswer(yield* moving, 409, {
        error: "lane_not_changed",
        reason: "in_flight",
        detail:
          "no transfer can be signed. A version that can be mined needs a fee cap of 3000 wei per gas, and maxFeePerGasWei allows 2500 wei. Raise maxFeePerGasWei to at least 3000 with `sweep operate limits`, or wait until gas costs less. Then repeat the request"
      })
      yield* chain.setFees(LaneScene.FEES)
      assert.strictEqual((yield* moving).status, 200)
      assert.lengthOf(yield* chain.sent, 1)

      // The lane has less now than the transfer takes, and a node that still has the transfer does not say so.
      yield* chain.setBalance(lane, 0n)
      const { json, status } = yield* moving
      assert.strictEqual(status, 409)
      assert.include(JSON.stringify(json), "Send at least")
    }).pipe(Effect.provide(LaneScene.layer))
  )
})

describe("tokens of operators", () => {
  it.effect("of before are accepted until they end", () =>
    Effect.gen(function* () {
      const formerAdminTokens = [{ token: Redacted.make("old"), untilMs: 60_000 }, { token: Redacted.make("older") }]
      const { call } = yield* serve({ lanes: desk }, { ...withToken, formerAdminTokens })
      const statusWith = (token: string) =>
        Effect.map(call("/admin/lanes", { headers: bearer(token) }), ({ status }) => status)
      assert.deepStrictEqual(yield* Effect.forEach([TOKEN, "old", "older", "other"], statusWith), [200, 200, 200, 401])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Effect.forEach([TOKEN, "old", "older"], statusWith), [200, 401, 200])
    })
  )
})
