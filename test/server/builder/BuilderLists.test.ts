/** A builder's lists over HTTP: filtered and searched by the server, linked with one another, and its earnings in dollars. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Address from "../../../src/domain/Address.ts"
import { SweepEvent, type SweepStatus } from "../../../src/domain/SweepEvent.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { event } from "../../support/BuilderFixtures.ts"
import { address, hash } from "../../support/IntentFixtures.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, asBuilder, field, signUp, text } = Harness

const encode = Schema.encodeSync(SweepEvent)

const rows = (answer: Harness.Answer, list: string): ReadonlyArray<unknown> => {
  const found = field(answer, list)
  return Array.isArray(found) ? found : assert.fail(answer.text)
}

const each = (answer: Harness.Answer, list: string, name: string) =>
  rows(answer, list).map((_, index) => field(answer, list, index, name))

/** Markup of each sweep. */
const FEE = 2_500n

/** A settled sweep of a builder with its accrual, as the orchestrator reports both. */
const settle = Effect.fnUntraced(function* (
  builderId: string,
  id: string,
  accrual: { readonly usd?: string; readonly chainId?: number; readonly paid?: boolean } = {}
) {
  const { chainId = 1, paid = false, usd } = accrual
  const statuses: ReadonlyArray<SweepStatus> = ["submitted", "settled_source"]
  const events = statuses.map((status) => ({
    ...event(status, { id, builderId, chainId, atMs: Date.now() }),
    builderFee: FEE
  }))
  for (const told of events) {
    assert.strictEqual((yield* asAdmin("POST /sweep-events", { body: encode(told) })).status, 201)
  }
  const [told] = events
  const body = {
    builderId,
    sweepId: `${hash(`tx ${id}`)}_0`,
    token: told?.tokenIn,
    amount: String(FEE),
    chainId,
    ...(usd === undefined ? {} : { usd }),
    ...(paid ? { paidTxHash: hash(`tx ${id}`) } : {})
  }
  assert.strictEqual((yield* asAdmin("POST /accruals", { body })).status, 201)
  return body
})

layer(Harness.layer(), { excludeTestServices: true })("a builder's lists", (it) => {
  it.effect("filter and find earnings, and each leads to its sweep", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* signUp()
      const as = asBuilder(cookie)
      const [first, second] = [`${id}-first`, `${id}-second`]
      const accrual = yield* settle(id, first, { chainId: 3 })
      yield* settle(id, second, { paid: true })
      const all = yield* as("GET /me/activity")
      assert.deepStrictEqual(each(all, "entries", "intentId"), [second, first])
      const selected: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["status=owed", [first]],
        ["status=paid", [second]],
        ["status=reversed", []],
        ["chainId=3", [first]],
        [`token=${accrual.token?.toLowerCase()}`, [second, first]],
        [`token=${address(0x99)}`, []],
        [`q=${hash(`tx ${first}`)}`, [first]],
        [`q=${accrual.sweepId}`, [first]],
        [`q=${first}`, [first]],
        [`q=https://explorer.example/tx/${hash(`tx ${second}`)}`, [second]],
        [`q=${first}&status=paid`, []],
        ["q=unknown", []],
        ["fromMs=0&toMs=1", []],
        [`fromMs=1&toMs=${Date.now() + 60_000}&chainId=1`, [second]]
      ]
      for (const [query, expected] of selected) {
        const answer = yield* as(`GET /me/activity?${query}`)
        assert.strictEqual(answer.status, 200, query)
        assert.deepStrictEqual<ReadonlyArray<unknown>>(each(answer, "entries", "intentId"), expected, query)
      }
      for (const query of ["status=gone", "chainId=0", "token=0x12", "fromMs=x", "q=", "cursor=x"]) {
        assert.strictEqual((yield* as(`GET /me/activity?${query}`)).status, 422, query)
      }
      const other = yield* signUp()
      assert.deepStrictEqual(rows(yield* asBuilder(other.cookie)(`GET /me/activity?q=${first}`), "entries"), [])
    })
  )

  it.effect("show 500 accruals to a client that knows of no pages", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* signUp()
      const as = asBuilder(cookie)
      const ledger = yield* Ledger
      const accrual = { builderId: id, token: Address.of(address(0x12)), amount: 1n }
      yield* Effect.forEach(
        Array.from({ length: 501 }, (_, index) => `${id}_${index}`),
        (sweepId) => ledger.accrue({ ...accrual, sweepId }),
        { concurrency: 10, discard: true }
      )
      const all = yield* as("GET /me/activity")
      assert.lengthOf(rows(all, "entries"), 500)
      const rest = yield* as(`GET /me/activity?cursor=${text(all, "nextCursor")}`)
      assert.lengthOf(rows(rest, "entries"), 1)
      assert.lengthOf(rows(yield* as("GET /me/activity?status=owed"), "entries"), 500)
      assert.lengthOf(rows(yield* as("GET /me/activity?limit=3"), "entries"), 3)
      const cursor = text(yield* as("GET /me/activity?limit=1"), "nextCursor")
      assert.lengthOf(rows(yield* as(`GET /me/activity?cursor=${cursor}`), "entries"), 100)
      // A reversed accrual was not paid, and is not owed either.
      yield* ledger.reverse(`${id}_7`)
      const reversed = yield* as("GET /me/activity?status=reversed")
      assert.deepStrictEqual(each(reversed, "entries", "sweepId"), [`${id}_7`])
      assert.deepStrictEqual(each(reversed, "entries", "paid"), [false])
      const owed = yield* as(`GET /me/activity?status=owed`)
      assert.notInclude(each(owed, "entries", "sweepId"), `${id}_7`)
      assert.strictEqual(text(yield* as("GET /me/accruals"), "balances", 0, "amount"), "500")
    })
  )

  it.effect("filter and find sweeps, and each leads to its earning and its deliveries", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* signUp()
      const as = asBuilder(cookie)
      const hook = yield* as("POST /me/webhooks", { body: { url: "https://hooks.example.com/a" } })
      const sweep = `${id}-sweep`
      const { owner, tokenOut } = event("submitted", { id: sweep })
      yield* settle(id, sweep)
      const selected: ReadonlyArray<readonly [string, boolean]> = [
        [`token=${tokenOut}`, true],
        [`token=${address(0x99)}`, false],
        [`q=${owner}`, true],
        [`q=${hash(`tx ${sweep}`)}`, true],
        [`q=${sweep}`, true],
        ["q=unknown", false],
        ["fromMs=1&status=settled_source", true],
        ["toMs=1", false]
      ]
      for (const [query, isListed] of selected) {
        const answer = yield* as(`GET /me/sweeps?${query}`)
        assert.deepStrictEqual(each(answer, "sweeps", "intentId"), isListed ? [sweep] : [], query)
      }
      const answer = yield* as(`GET /me/sweeps/${sweep}`)
      assert.deepStrictEqual(each(answer, "earnings", "sweepId"), [`${hash(`tx ${sweep}`)}_0`])
      assert.deepStrictEqual(each(answer, "earnings", "intentId"), [sweep])
      assert.deepStrictEqual(each(answer, "deliveries", "webhookId"), [
        text(hook, "webhook", "id"),
        text(hook, "webhook", "id")
      ])
      const list = `/me/webhooks/${text(hook, "webhook", "id")}/deliveries`
      assert.lengthOf(rows(yield* as(`GET ${list}?q=${sweep}`), "deliveries"), 2)
      assert.lengthOf(rows(yield* as(`GET ${list}?q=${sweep}:submitted`), "deliveries"), 1)
      assert.lengthOf(rows(yield* as(`GET ${list}?type=sweep.failed`), "deliveries"), 0)
      assert.lengthOf(rows(yield* as(`GET ${list}?type=sweep.submitted&state=pending&fromMs=1`), "deliveries"), 1)
      assert.strictEqual((yield* as(`GET ${list}?type=nothing`)).status, 422)
      const replay = list.replace("deliveries", "replay-failed")
      assert.deepStrictEqual((yield* as(`POST ${replay}?type=sweep.failed&toMs=1`)).body, { queued: 0, more: false })
      assert.strictEqual((yield* as(`POST ${replay}?type=nothing`)).status, 422)
    })
  )

  it.effect("take the id of a sweep in any case", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* signUp()
      const as = asBuilder(cookie)
      const sweep = "2f9d1c1e-7d52-4b8e-8a55-0e6a9a1b3c77"
      const hook = yield* as("POST /me/webhooks", { body: { url: "https://hooks.example.com/a" } })
      yield* settle(id, sweep)
      const shouted = sweep.toUpperCase()
      assert.deepStrictEqual((yield* as(`GET /me/sweeps/${shouted}`)).body, (yield* as(`GET /me/sweeps/${sweep}`)).body)
      const books = yield* asAdmin(`GET /admin/sweeps/${shouted}`)
      assert.strictEqual(text(books, "sweep", "intentId"), sweep)
      const list = `/me/webhooks/${text(hook, "webhook", "id")}/deliveries`
      assert.lengthOf(rows(yield* as(`GET ${list}?q=${shouted}`), "deliveries"), 2)
    })
  )

  it.effect("leave the sweep open where another one has the same markup in the same transaction", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* signUp()
      const shared = `${id}-shared`
      yield* settle(id, shared)
      const twin = {
        ...event("settled_source", { id: `${id}-twin`, builderId: id }),
        builderFee: FEE,
        txHash: hash(`tx ${shared}`)
      }
      assert.strictEqual((yield* asAdmin("POST /sweep-events", { body: encode(twin) })).status, 201)
      const found = yield* asBuilder(cookie)("GET /me/activity")
      assert.deepStrictEqual(each(found, "entries", "intentId"), [undefined])
    })
  )

  it.effect("sum up earnings in dollars, and tell apart what has no price", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* signUp()
      const as = asBuilder(cookie)
      const none = yield* as("GET /me/money")
      assert.deepStrictEqual([field(none, "days"), text(none, "earnedUsd"), field(none, "tokens")], [30, "0", []])
      assert.lengthOf(rows(none, "byDay"), 30)
      const accrual = yield* settle(id, `${id}-1`, { usd: "1.25" })
      yield* settle(id, `${id}-2`, { usd: "0.5", paid: true })
      yield* settle(id, `${id}-3`)
      const answer = yield* as("GET /me/money?days=7")
      assert.deepStrictEqual(
        [text(answer, "earnedUsd"), text(answer, "paidUsd"), rows(answer, "byDay").length],
        ["1.75", "0.5", 7]
      )
      assert.deepStrictEqual(rows(answer, "tokens"), [
        {
          chainId: 1,
          token: accrual.token,
          sweeps: 3,
          earned: String(3n * FEE),
          earnedUsd: "1.75",
          earnedUnpriced: String(FEE),
          paid: String(FEE),
          paidUsd: "0.5",
          paidUnpriced: "0",
          owed: String(2n * FEE)
        }
      ])
      const activity = yield* as("GET /me/activity")
      assert.deepStrictEqual(each(activity, "entries", "usd"), [undefined, "0.5", "1.25"])
      assert.strictEqual((yield* as("GET /me/money?days=8")).status, 422)
      // A repeated report keeps the first value, and a value that is none is refused.
      assert.strictEqual((yield* asAdmin("POST /accruals", { body: { ...accrual, usd: "9" } })).status, 201)
      assert.strictEqual(text(yield* as("GET /me/money?days=7"), "earnedUsd"), "1.75")
      const refused = yield* asAdmin("POST /accruals", { body: { ...accrual, sweepId: "x_1", usd: "-1" } })
      assert.strictEqual(refused.status, 422)
    })
  )
})
