/** Optional fields of requests may be null, which many clients write for a value that they do not have. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { AccrualRequest, RegistrationRequest } from "../../src/api/builder/Schemas.ts"
import { QuoteRequest } from "../../src/domain/Quote.ts"

const address = `0x${"12".repeat(20)}`

const quote = {
  owner: address,
  tokenIn: address,
  amountIn: "5",
  tokenOut: address,
  destination: address,
  destChainId: 1,
  tier: "tier1",
  subscriptionActive: false,
  userId: "user-1"
}
const registration = { id: "acme", name: "Acme", builderBps: 0, maxBuilderBps: 0, payoutAddress: address }
const accrual = { builderId: "acme", sweepId: "sweep_0", token: address, amount: "5" }

const quoteField = ["route", "sourceChainId", "apiKey", "slippageBps", "maxNetworkFee"] as const
const accrualField = ["chainId", "paidTxHash", "usd"] as const

const readsAlike = <A, I>(schema: Schema.Codec<A, I>, body: object, field: string): void => {
  const decode = Schema.decodeUnknownSync(schema)
  const decoded = decode({ ...body, [field]: null })
  assert.deepStrictEqual(decoded, decode(body))
  assert.notProperty(decoded, field)
  assert.notProperty(Schema.encodeSync(schema)(decoded), field)
}

describe("an optional field that is null is read as absent", () => {
  it.each(quoteField)("in a quote request: %s", (field) => readsAlike(QuoteRequest, quote, field))

  it("in a registration: payoutMode", () => readsAlike(RegistrationRequest, registration, "payoutMode"))

  it.each(accrualField)("in an accrual: %s", (field) => readsAlike(AccrualRequest, accrual, field))
})

describe("an optional field with a value", () => {
  it("is read and written as before", () => {
    const body = {
      ...quote,
      route: "base->optimism",
      sourceChainId: 1,
      apiKey: "k",
      slippageBps: 5,
      maxNetworkFee: "7"
    }
    const decoded = Schema.decodeUnknownSync(QuoteRequest)(body)
    assert.strictEqual(decoded.maxNetworkFee, 7n)
    const { maxNetworkFee, route, slippageBps } = Schema.encodeSync(QuoteRequest)(decoded)
    assert.deepStrictEqual([maxNetworkFee, route, slippageBps], ["7", "base->optimism", 5])
  })

  it("is checked as before", () => {
    for (const change of [{ sourceChainId: 0 }, { slippageBps: 1_001 }, { maxNetworkFee: 7 }, { route: 5 }]) {
      assert.throws(() => Schema.decodeUnknownSync(QuoteRequest)({ ...quote, ...change }))
    }
  })
})

describe("a required field", () => {
  it.each(Object.keys(quote))("must not be null: %s", (field) => {
    assert.throws(() => Schema.decodeUnknownSync(QuoteRequest)({ ...quote, [field]: null }))
  })
})
