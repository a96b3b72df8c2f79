import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as BuilderLedgerHttp from "../../../src/adapters/http/BuilderLedgerHttp.ts"
import { type LedgerMessage, sweepId } from "../../../src/domain/Accrual.ts"
import { MAX_UINT256 } from "../../../src/domain/Amount.ts"
import { type SweepEvent, sweepEvent } from "../../../src/domain/SweepEvent.ts"
import { BuilderLedger } from "../../../src/ports/orchestrator/BuilderLedger.ts"
import * as BuilderLedgerSuite from "../../ports/orchestrator/BuilderLedger.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { newIntent } from "../../support/IntentFixtures.ts"
import { type Answer, type Seen, StubServer } from "../../support/StubServer.ts"

const txHash = `0x${"ab".repeat(32)}` as const
const id = sweepId(txHash, 2)

const accrual: LedgerMessage & { readonly _tag: "Accrual" } = {
  _tag: "Accrual",
  accrual: {
    builderId: "bld_a",
    sweepId: id,
    token: FakeChain.address(0xd1),
    amount: 5n,
    chainId: 8453,
    paidTxHash: txHash
  }
}
const revenue: LedgerMessage & { readonly _tag: "Revenue" } = {
  _tag: "Revenue",
  revenue: {
    sweepId: id,
    chainId: 8453,
    token: FakeChain.address(0xd1),
    amount: 7n,
    txHash,
    settledAtMs: 1_700_000_000_000
  }
}
const settled = { _tag: "SettledAtSource", txHash } as const
const event = sweepEvent({ ...newIntent({ id: "a" }), id: "a", txHash }, "bld_a", settled, 1_700_000_000_000)
const fixture = Effect.succeed({ accrual, revenue, event })

const adapter = (options: Partial<BuilderLedgerHttp.Options> = {}, server = StubServer.layer) =>
  Layer.unwrap(
    Effect.map(StubServer, ({ url }) =>
      BuilderLedgerHttp.layer({ builderUrl: url, token: Redacted.make("machine-token"), ...options })
    )
  ).pipe(Layer.provide(FetchHttpClient.layer), Layer.provideMerge(server))

/** The rules of the real backend: an exact repetition is accepted, other content is a conflict. */
const backend = () => {
  interface Posted {
    readonly id?: string
    readonly sweepId?: string
    readonly entries?: ReadonlyArray<Posted>
  }
  const booked = new Map<string, string>()
  const book = (path: string, posted: Posted): boolean => {
    const entry = `${path} ${posted.sweepId ?? posted.id}`
    const content = JSON.stringify(posted)
    const before = booked.get(entry)
    if (before === undefined) booked.set(entry, content)
    return before === undefined || before === content
  }
  return ({ body, path }: Seen): Answer => {
    const posted = JSON.parse(body) as Posted
    if (posted.entries !== undefined) {
      const taken = posted.entries.filter((entry) => book("/revenue", entry))
      return { status: 201, body: { ok: true, booked: taken.map(({ sweepId }) => sweepId) } }
    }
    return book(path, posted) ? { status: 201, body: { ok: true } } : { status: 409, body: { error: "conflict" } }
  }
}

BuilderLedgerSuite.suite("HTTP", adapter({}, StubServer.answering(backend())), fixture)

const book = (message: LedgerMessage) => BuilderLedger.use((ledger) => ledger.book(message))
const tell = (told: SweepEvent) => BuilderLedger.use((ledger) => ledger.tell(told))

describe("BuilderLedgerHttp", () => {
  it.effect("posts what the backend's contract names, with the machine token", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 201, body: { ok: true } })
      yield* book({ ...accrual, accrual: { ...accrual.accrual, amount: MAX_UINT256 } })
      yield* book(revenue)
      yield* tell(event)
      const requests = yield* seen
      assert.deepStrictEqual(
        requests.map(({ body, headers, method, path }) => ({
          request: `${method} ${path}`,
          authorization: headers.get("authorization"),
          type: headers.get("content-type"),
          body: JSON.parse(body) as unknown
        })),
        [
          {
            request: "POST /accruals",
            authorization: "Bearer machine-token",
            type: "application/json",
            body: { ...accrual.accrual, amount: MAX_UINT256.toString() }
          },
          {
            request: "POST /revenue",
            authorization: "Bearer machine-token",
            type: "application/json",
            body: { ...revenue.revenue, amount: "7" }
          },
          {
            request: "POST /sweep-events",
            authorization: "Bearer machine-token",
            type: "application/json",
            body: {
              ...event,
              amountIn: event.amountIn.toString(),
              minAmountOut: event.minAmountOut.toString(),
              builderFee: event.builderFee.toString()
            }
          }
        ]
      )
    }).pipe(Effect.provide(adapter()))
  )

  it.effect.each<readonly [string, Answer, "LedgerRefused" | "LedgerUnavailable", string]>([
    ["409", { status: 409, body: { error: "conflict" } }, "LedgerRefused", "conflict"],
    ["422", { status: 422, body: { error: "bad_request" } }, "LedgerRefused", "bad_request"],
    [
      "422 with a structured detail",
      { status: 422, body: { error: [{ path: "amount" }] } },
      "LedgerRefused",
      '"amount"'
    ],
    ["422 without a reason", { status: 422, body: "" }, "LedgerRefused", "no reason given"],
    ["400", { status: 400, body: { error: "x" } }, "LedgerUnavailable", "HTTP 400"],
    ["401", { status: 401, body: { error: "unauthorized" } }, "LedgerUnavailable", "HTTP 401"],
    ["404", { status: 404, body: { error: "not found" } }, "LedgerUnavailable", "HTTP 404"],
    ["429", { status: 429, headers: { "retry-after": "3" } }, "LedgerUnavailable", "HTTP 429"],
    ["500", { status: 500, body: { error: "internal error" } }, "LedgerUnavailable", "HTTP 500"],
    ["a redirect", { status: 302, headers: { location: "/login" } }, "LedgerUnavailable", "HTTP 302"],
    ["204", { status: 204 }, "LedgerUnavailable", "HTTP 204"],
    ["200 from something else", { status: 200, body: "<html>hello" }, "LedgerUnavailable", "malformed"],
    ["200 that is not ok", { status: 200, body: { ok: false } }, "LedgerUnavailable", "malformed"]
  ])("tells what is refused from what is worth another attempt: %s", ([, answer, tag, detail]) =>
    Effect.gen(function* () {
      const stub = yield* StubServer
      yield* stub.answer(answer)
      for (const message of [accrual, revenue]) {
        const error = yield* Effect.flip(book(message))
        assert.strictEqual(error._tag, tag)
        assert.include(error.detail, detail)
        assert.notInclude(error.message, "machine-token")
      }
      assert.strictEqual((yield* stub.seen).length, 2)
    }).pipe(Effect.provide(adapter()))
  )

  it.effect.each<readonly [number, "LedgerRefused" | "LedgerUnavailable"]>([
    [404, "LedgerRefused"],
    [409, "LedgerRefused"],
    [422, "LedgerRefused"],
    [401, "LedgerUnavailable"],
    [503, "LedgerUnavailable"]
  ])("an event is refused by who does not know it or its route: %s", ([status, tag]) =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer({ status, body: { error: "not found" } })
      assert.strictEqual((yield* Effect.flip(tell(event)))._tag, tag)
    }).pipe(Effect.provide(adapter()))
  )

  it.effect("takes 200 as well as 201", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer({ status: 200, body: { ok: true } })
      yield* book(accrual)
    }).pipe(Effect.provide(adapter()))
  )

  it.live("is unavailable when the backend is silent", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer({ status: 201, silent: true })
      const error = yield* Effect.flip(book(accrual))
      assert.strictEqual(error.detail, "no answer within 50 ms")
    }).pipe(Effect.provide(adapter({ timeout: "50 millis" })))
  )
})
