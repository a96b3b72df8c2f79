/** Six tokens on two chains with one signature, through the real parts. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "viem"
import * as Address from "../../src/domain/Address.ts"
import { balanceOf, freshOwner, type Place, place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

type Symbol = Parameters<typeof freshOwner>[1]

interface View {
  readonly id: string
  readonly status: string
  readonly failureReason?: string
}

const fund = ({ dev, info }: Place, owner: Hex, token: Symbol, amount: string) =>
  dev.fund(Address.of(owner), {
    token,
    amount: SweepClient.amountOf({ owner, chain: info, tokenIn: token, amountIn: amount, tokenOut: token })
  })

layer(Services.layer(), { excludeTestServices: true, timeout: "60 seconds" })("Sweeps of a wallet end to end", (it) => {
  it.effect("deliver six tokens of two chains under one signature, and need no authorization the second time", () =>
    Effect.gen(function* () {
      const services = yield* Services
      const [alpha, beta] = [place(services, 0), place(services, 1)]
      const client = SweepClient.make(services.info.orchestratorUrl, 1)
      const owner = yield* freshOwner(alpha, "DAI", "300")
      const holdings: ReadonlyArray<readonly [Place, Symbol, string]> = [
        [alpha, "USDT", "120"],
        [alpha, "WBTC", "0.01"],
        [beta, "USDC", "200"],
        [beta, "DAI", "150"],
        [beta, "USDT", "90"]
      ]
      for (const [at, symbol, amount] of holdings) yield* fund(at, owner.address, symbol, amount)
      const token = ({ info }: Place, symbol: Symbol) => ({
        chainId: info.id,
        token: SweepClient.tokenOf(info, symbol).address,
        amount: "max"
      })
      const quote = (tokens: ReadonlyArray<ReturnType<typeof token>>) =>
        Effect.promise(() =>
          client.post("/quotes", {
            owner: owner.address,
            destination: owner.address,
            destChainId: alpha.info.id,
            tokenOut: SweepClient.tokenOf(alpha.info, "USDC").address,
            tokens,
            userId: "wallet",
            subscriptionActive: false
          })
        )
      const sweep = Effect.fnUntraced(function* (quotes: SweepClient.Answer, authorizations: number) {
        assert.strictEqual(quotes.status, 200, quotes.text)
        const signed = yield* Effect.promise(() => SweepClient.signBatch(owner, quotes))
        assert.lengthOf(signed.authorizations, authorizations)
        const accepted = yield* Effect.promise(() => client.post("/sweeps", signed))
        assert.strictEqual(accepted.status, 201, accepted.text)
        assert.deepStrictEqual(
          accepted.at<ReadonlyArray<View>>("intents"),
          signed.quoteIds.map((id) => ({ id, status: "submitted" }))
        )
        const id = accepted.string("id")
        // The stream ends when all intents are final.
        yield* Effect.promise(async () => {
          const events = await fetch(`${services.info.orchestratorUrl}/sweeps/${id}/events`)
          await events.text()
        })
        const ended = yield* Effect.promise(() => client.get(`/sweeps/${id}`))
        assert.deepStrictEqual(
          ended.at<ReadonlyArray<View>>("intents").map((each) => [each.id, each.status, each.failureReason]),
          signed.quoteIds.map((quoteId) => [quoteId, "delivered", undefined]),
          ended.text
        )
        return id
      })

      const all = [token(alpha, "DAI"), ...holdings.map(([at, symbol]) => token(at, symbol))]
      const quotes = yield* quote(all)
      const first = yield* sweep(quotes, 2)
      const received = yield* balanceOf(alpha, "USDC", owner.address)
      assert.isTrue(received >= BigInt(quotes.string("totals.minAmountOut.amount")), `received ${received}`)
      for (const [at, symbol] of [[alpha, "DAI"] as const, ...holdings]) {
        assert.strictEqual(yield* balanceOf(at, symbol, owner.address), 0n, `${at.info.name} ${symbol}`)
      }

      yield* fund(alpha, owner.address, "DAI", "80")
      yield* fund(beta, owner.address, "USDC", "70")
      const second = yield* sweep(yield* quote([token(beta, "USDC"), token(alpha, "DAI")]), 0)
      const listed = yield* Effect.promise(() => client.get(`/owners/${owner.address}/sweeps`))
      assert.deepStrictEqual(
        listed.at<ReadonlyArray<View>>("sweeps").map(({ id }) => id),
        [second, first]
      )
    })
  )
})
