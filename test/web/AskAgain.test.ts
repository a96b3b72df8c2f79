/** The pauses after which a query asks again. */
import { assert, describe, it } from "@effect/vitest"
import { type Answer, RateLimitedError, InvalidRequestError, ServiceError } from "../../src/sdk/index.ts"
import { askAgain, askAgainAfterFailure, type Asked } from "../../src/web/api/askAgain.ts"

type Data = "whole" | "part"

const ask = askAgain<Data>((data) => data === "part")

const answer: Answer = { status: 503, reason: "", requestId: undefined, retryAfterSeconds: undefined }

/** A query that is answered as a test says. As in TanStack Query, a failure leaves the data, and counts differ by outcome. */
const makeQuery = (next = ask) => {
  const query: { state: Asked<Data>["state"] } = {
    state: { data: undefined, error: null, status: "pending", dataUpdateCount: 0, errorUpdateCount: 0 }
  }
  return {
    query,
    gets: (data: Data) => {
      const { dataUpdateCount } = query.state
      query.state = { ...query.state, data, error: null, status: "success", dataUpdateCount: dataUpdateCount + 1 }
      return next(query)
    },
    fails: (error: unknown = new ServiceError(answer)) => {
      const { errorUpdateCount } = query.state
      query.state = { ...query.state, error, status: "error", errorUpdateCount: errorUpdateCount + 1 }
      return next(query)
    },
    asks: () => {
      if (query.state.data === undefined) query.state = { ...query.state, error: null, status: "pending" }
      return next(query)
    }
  }
}

describe("a query", () => {
  it("whose answer is complete does not ask again", () => {
    const { asks, gets } = makeQuery()
    assert.isFalse(asks())
    assert.isFalse(gets("whole"))
    assert.isFalse(asks())
  })

  it("asks again after pauses that grow to a minute, through failures and parts", () => {
    const { asks, fails, gets } = makeQuery()
    const seen = [fails(), fails(), gets("part"), fails(), gets("part"), fails(), fails()]
    assert.deepStrictEqual(seen, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
    assert.strictEqual(asks(), 60_000, "while it asks, with data")
  })

  it("keeps its pause however often it is looked at", () => {
    const { fails, query } = makeQuery()
    assert.strictEqual(fails(), 2_000)
    assert.deepStrictEqual([ask(query), ask(query)], [2_000, 2_000])
    assert.strictEqual(fails(), 4_000)
  })

  it("without data remembers its pause while it asks", () => {
    const { asks, fails } = makeQuery()
    assert.deepStrictEqual([fails(), asks(), fails()], [2_000, false, 4_000])
  })

  it("starts with the first pause after a complete answer", () => {
    const { fails, gets } = makeQuery()
    assert.deepStrictEqual([gets("part"), gets("part"), gets("whole"), fails()], [2_000, 4_000, false, 2_000])
  })

  it("waits as long as the service asks for", () => {
    const { fails } = makeQuery()
    const limited = new RateLimitedError({ ...answer, status: 429, retryAfterSeconds: 300 })
    assert.deepStrictEqual([fails(limited), fails()], [300_000, 4_000])
  })

  it("asks again after an hour at the latest, since a timer of 25 days would run at once", () => {
    const { fails } = makeQuery()
    for (const retryAfterSeconds of [3_601, 2_147_484, Number.MAX_SAFE_INTEGER]) {
      assert.strictEqual(fails(new RateLimitedError({ ...answer, status: 429, retryAfterSeconds })), 3_600_000)
    }
  })

  it("with a maximum stops after so many pauses, and begins again after a complete answer", () => {
    const twice = askAgain<Data>((data) => data === "part", 2)
    const { fails, gets, query } = makeQuery(twice)
    assert.deepStrictEqual([fails(), gets("part"), fails(), twice(query)], [2_000, 4_000, false, false])
    assert.deepStrictEqual([gets("whole"), fails()], [false, 2_000])
  })

  it("does not repeat what cannot succeed, and repeats what it does not know", () => {
    const { fails } = makeQuery()
    assert.isFalse(fails(new InvalidRequestError({ ...answer, status: 422 })))
    assert.strictEqual(fails(new TypeError("Failed to fetch")), 2_000)
    assert.isFalse(askAgainAfterFailure(makeQuery().query))
  })
})
