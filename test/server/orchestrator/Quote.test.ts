/** Every answer of POST /quote (spec, "Errors"). */
import { assert, describe, it } from "@effect/vitest"
import { TypedDataEncoder } from "ethers"
import { Effect } from "effect"
import { hashTypedData } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Foundry from "../../../src/devnet/Foundry.ts"
import type { QuoteRequest } from "../../../src/domain/Quote.ts"
import type { QuoteReason } from "../../../src/domain/QuoteReason.ts"
import { digest } from "../../../src/domain/SweepOrder.ts"
import { QuoteFailed } from "../../../src/orchestrator/quote/QuoteFailed.ts"
import { RequestRefused } from "../../../src/orchestrator/quote/RequestRefused.ts"
import { ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"
import { expectAnswer, expectError } from "./Expect.ts"
import { serve } from "./Harness.ts"
import { DELEGATE, decodedRequest, ID, offer, order, OUT, OWNER, quoteRequest, TOKEN, wireDetails } from "./Fixtures.ts"

const wireOrder = {
  owner: OWNER,
  tokenIn: TOKEN,
  amountIn: "25000000",
  feeAmount: "125000",
  builder: `0x${"0".repeat(40)}`,
  builderFee: "1",
  tokenOut: OUT,
  minAmountOut: (2n ** 200n).toString(),
  destination: OWNER,
  swapTarget: DELEGATE,
  swapCalldata: "0x04e45aaf",
  deadline: "1767226320",
  nonce: "3",
  destChainId: "8453"
}

interface Wire {
  readonly order: object
  readonly signing: {
    readonly typedData: {
      readonly domain: {
        readonly name: string
        readonly version: string
        readonly chainId: number
        readonly verifyingContract: `0x${string}`
      }
      readonly types: Record<string, Array<{ name: string; type: string }>>
      readonly primaryType: string
      readonly message: Record<string, string>
    }
  }
}

describe("POST /quote", () => {
  it.effect("200: quote, order and everything to sign", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      const answer = yield* post("/quote", quoteRequest)
      const { EIP712Domain, SweepOrder } = (answer.json as Wire).signing.typedData.types
      expectAnswer(answer, 200, {
        quote: {
          id: ID,
          crossChain: false,
          expiresAtMs: 1_767_225_720_000,
          total: "125001",
          settlementAddress: DELEGATE,
          sourceChainId: 8453,
          estimatedAmountOut: (2n ** 201n).toString(),
          minAmountOut: (2n ** 200n).toString(),
          provider: "test",
          estimatedSeconds: 6,
          ...wireDetails
        },
        order: wireOrder,
        signing: {
          typedData: {
            domain: { name: "Service", version: "1", chainId: 8453, verifyingContract: OWNER },
            types: { EIP712Domain, SweepOrder },
            primaryType: "SweepOrder",
            message: wireOrder
          },
          authorization: { address: DELEGATE, chainId: 8453, nonce: "7" }
        }
      })
      assert.deepStrictEqual(Object.keys((answer.json as Wire).order), Object.keys(wireOrder))
    })
  )

  it.effect("the typed data means the same to eth_signTypedData_v4, ethers and cast as to the contracts", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      const { typedData } = ((yield* post("/quote", quoteRequest)).json as Wire).signing
      const expected = digest(order(decodedRequest), { name: "Service", chainId: 8453 })
      assert.strictEqual(hashTypedData(typedData), expected)
      const { EIP712Domain, ...types } = typedData.types
      assert.strictEqual(EIP712Domain?.length, 4)
      assert.strictEqual(TypedDataEncoder.hash(typedData.domain, types, typedData.message), expected)

      const key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
      const castBinary = yield* Foundry.binary("cast")
      const cast = yield* Effect.promise(async () => {
        const process = Bun.spawn(
          [castBinary, "wallet", "sign", "--private-key", key, "--data", JSON.stringify(typedData)],
          { stdout: "pipe", stderr: "pipe" }
        )
        return { signature: (await new Response(process.stdout).text()).trim(), code: await process.exited }
      })
      assert.strictEqual(cast.code, 0)
      assert.strictEqual(cast.signature, yield* Effect.promise(() => privateKeyToAccount(key).sign({ hash: expected })))
    })
  )

  it.effect("422: invalid JSON body", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      for (const body of ["", " ", "{", "{'a':1}", "undefined", "{}{}", "\u0000"]) {
        expectError(yield* post("/quote", body), 422, "invalid JSON body")
      }
    })
  )

  it.effect("422: schema failures, unmasked, every one of them", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      expectError(
        yield* post("/quote", { ...quoteRequest, owner: "0x12", amountIn: "-1", tier: "tier9" }),
        422,
        "owner: expected an address: 0x followed by 40 hex digits; " +
          "amountIn: expected a non-negative integer as a decimal string; " +
          "tier: expected one of tier1, tier2, tier3"
      )
    })
  )

  it.effect("422: a request that cannot be meant, unmasked", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({
        quote: () => Effect.fail(new RequestRefused({ problems: ["destination: a token", "route: unknown"] }))
      })
      expectError(yield* post("/quote", quoteRequest), 422, "destination: a token; route: unknown")
    })
  )

  it.effect("takes the source chain, the slippage tolerance and the maximum network fee", () =>
    Effect.gen(function* () {
      const asked: Array<QuoteRequest> = []
      const { post } = yield* serve({
        quote: (request) =>
          Effect.sync(() => {
            asked.push(request)
            return offer(request)
          })
      })
      const limits = { sourceChainId: 10, slippageBps: 1_000, maxNetworkFee: "5" }
      const answer = yield* post("/quote", { ...quoteRequest, ...limits, userId: "u".repeat(256) })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(asked, [{ ...decodedRequest, ...limits, maxNetworkFee: 5n, userId: "u".repeat(256) }])
    })
  )

  it.effect("422 masked: the quote cannot be made, and the log says why", () =>
    Effect.gen(function* () {
      const { logs, post } = yield* serve({
        quote: () => Effect.fail(new QuoteFailed({ reason: "token_declined", detail: "takes 5 % on transfer" }))
      })
      const answer = yield* post("/quote", quoteRequest)
      expectError(answer, 422, "internal error")
      const line = logs.find(({ message }) => message.includes("takes 5 % on transfer"))
      assert.strictEqual(line?.annotations["requestId"], answer.headers.get("x-request-id"))
      assert.strictEqual(line?.annotations["failure"], "token_declined")
    })
  )

  it.effect("403: sanctions block, without an address", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({ quote: () => Effect.fail(new ScreeningBlocked({ cause: "listed" })) })
      expectError(yield* post("/quote", quoteRequest), 403, "request blocked by sanctions screening")
    })
  )

  it.effect("a reason with every failure, and a time to retry with those that pass", () =>
    Effect.gen(function* () {
      const passing: Readonly<Record<string, readonly [status: number, text: string, seconds: string]>> = {
        store_unavailable: [503, "internal error", "1"],
        upstream_unavailable: [503, "internal error", "1"],
        chain_unavailable: [503, "chain unavailable", "1"],
        fee_limit: [503, "chain unavailable", "24"],
        too_busy: [503, "internal error", "24"],
        budget_spent: [422, "internal error", "24"]
      }
      const told: { readonly [Reason in QuoteFailed["reason"]]: QuoteReason } = {
        unsupported_chain: "unsupported_chain",
        chain_paused: "chain_unavailable",
        paused: "unavailable",
        chain_unavailable: "unavailable",
        fee_limit: "unavailable",
        same_token: "same_token",
        counted_fee: "no_route",
        owner_is_a_contract: "owner_is_a_contract",
        token_declined: "unavailable",
        insufficient_balance: "insufficient_balance",
        fees_exceed_input: "fees_exceed_amount",
        network_fee_above_maximum: "network_fee_above_maximum",
        no_route: "no_route",
        no_price: "no_price",
        simulation_failed: "would_revert",
        budget_spent: "unavailable",
        too_busy: "unavailable",
        upstream_unavailable: "unavailable",
        store_unavailable: "unavailable"
      }
      for (const reason of QuoteFailed.fields.reason.literals) {
        const failure = new QuoteFailed({ reason, detail: "secret detail", retryAfterMillis: 23_001 })
        const { post } = yield* serve({ quote: () => Effect.fail(failure) })
        const answer = yield* post("/quote", quoteRequest)
        const [status, text, seconds] = passing[reason] ?? [422, "internal error", null]
        expectError(answer, status, text)
        assert.strictEqual(answer.headers.get("sweep-reason"), told[reason], reason)
        assert.strictEqual(answer.headers.get("retry-after"), seconds, reason)
      }
    })
  )

  it.effect("knows the network of its client", () =>
    Effect.gen(function* () {
      const networks: Array<string | undefined> = []
      const { post } = yield* serve(
        { quote: (request, network) => Effect.sync(() => (networks.push(network), offer(request))) },
        { trustedProxyHops: 1 }
      )
      yield* post("/quote", quoteRequest, { "x-forwarded-for": "203.0.113.7" })
      yield* post("/quote", quoteRequest)
      assert.deepStrictEqual(networks, ["203.0.113.0/24", undefined])
    })
  )

  it.effect("403: screening without an answer, with a reason and a time to retry", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({ quote: () => Effect.fail(new ScreeningBlocked({ cause: "unavailable" })) })
      const answer = yield* post("/quote", quoteRequest)
      expectError(answer, 403, "request blocked by sanctions screening")
      assert.strictEqual(answer.headers.get("sweep-reason"), "screening_unavailable")
      assert.strictEqual(answer.headers.get("retry-after"), "2")
      const listed = yield* serve({ quote: () => Effect.fail(new ScreeningBlocked({ cause: "listed" })) })
      const blocked = yield* listed.post("/quote", quoteRequest)
      assert.isNull(blocked.headers.get("sweep-reason"))
      assert.isNull(blocked.headers.get("retry-after"))
    })
  )

  it.effect("500 masked: a defect, whose cause is logged with the request's id", () =>
    Effect.gen(function* () {
      const { logs, post } = yield* serve({ quote: () => Effect.die(new Error("secret detail")) })
      const answer = yield* post("/quote", quoteRequest)
      expectError(answer, 500, "internal error")
      const line = logs.find(({ message }) => message.includes("secret detail"))
      assert.strictEqual(line?.level, "Error")
      assert.strictEqual(line?.annotations["requestId"], answer.headers.get("x-request-id"))
    })
  )

  it.effect("500 masked: a use case that throws", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({
        quote: () => {
          throw new TypeError("secret detail")
        }
      })
      expectError(yield* post("/quote", quoteRequest), 500, "internal error")
    })
  )

  it.effect("500 masked: an answer that does not fit the contract", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({
        quote: (request) => Effect.succeed({ ...offer(request), order: { ...order(request), amountIn: -1n } })
      })
      expectError(yield* post("/quote", quoteRequest), 500, "internal error")
    })
  )
})
