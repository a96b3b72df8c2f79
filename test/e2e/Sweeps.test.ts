/** Six tokens on two chains with one signature, through the real parts. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import type { Hex } from "viem"
import * as Address from "../../src/domain/Address.ts"
import { balanceOf, freshOwner, type Owner, type Place, place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

type Symbol = Parameters<typeof freshOwner>[1]

interface View {
  readonly id: string
  readonly status: string
  readonly failureReason?: string
  readonly txHash?: string
}

const fund = ({ dev, info }: Place, owner: Hex, token: Symbol, amount: string) =>
  dev.fund(Address.of(owner), {
    token,
    amount: SweepClient.amountOf({ owner, chain: info, tokenIn: token, amountIn: amount, tokenOut: token })
  })

/** True if a token was left out for a reason that passes, as on a busy machine. */
const isPassing = ({ text }: SweepClient.Answer): boolean => /"reason":"(?:busy|chain_unavailable)"/.test(text)

/** A wallet of one owner who sweeps to USDC of the first chain. */
const walletOf = Effect.fnUntraced(function* (services: Services["Service"], owner: Owner) {
  const alpha = place(services, 0)
  const client = SweepClient.make(services.info.orchestratorUrl, 1)
  const quote = (tokens: ReadonlyArray<readonly [Place, Symbol]>) =>
    Effect.promise(() =>
      client.post("/quotes", {
        owner: owner.address,
        destination: owner.address,
        destChainId: alpha.info.id,
        tokenOut: SweepClient.tokenOf(alpha.info, "USDC").address,
        tokens: tokens.map(([{ info }, symbol]) => ({
          chainId: info.id,
          token: SweepClient.tokenOf(info, symbol).address,
          amount: "max"
        })),
        userId: "wallet",
        subscriptionActive: false
      })
    ).pipe(Effect.repeat({ schedule: Schedule.spaced("500 millis"), while: isPassing }))
  /** Submits what was quoted, and returns the id of the sweep. */
  const submit = Effect.fnUntraced(function* (quotes: SweepClient.Answer, authorizations: number) {
    assert.strictEqual(quotes.status, 200, quotes.text)
    const signed = yield* Effect.promise(() => SweepClient.signBatch(owner, quotes))
    assert.lengthOf(signed.authorizations, authorizations)
    const accepted = yield* Effect.promise(() => client.post("/sweeps", signed))
    assert.strictEqual(accepted.status, 201, accepted.text)
    assert.deepStrictEqual(
      accepted.at<ReadonlyArray<View>>("intents"),
      signed.quoteIds.map((id) => ({ id, status: "submitted" }))
    )
    return accepted.string("id")
  })
  const legsOf = (id: string) =>
    Effect.map(
      Effect.promise(() => client.get(`/sweeps/${id}`)),
      (answer) => answer.at<ReadonlyArray<View>>("intents")
    )
  /** Submits what was quoted, and waits until all of it is delivered, by this number of transactions. */
  const sweep = Effect.fnUntraced(function* (quotes: SweepClient.Answer, authorizations: number, transactions: number) {
    const id = yield* submit(quotes, authorizations)
    // The stream ends when all intents are final.
    yield* Effect.promise(async () => {
      const events = await fetch(`${services.info.orchestratorUrl}/sweeps/${id}/events`)
      await events.text()
    })
    const legs = yield* legsOf(id)
    assert.isNotEmpty(legs)
    for (const leg of legs) assert.strictEqual(leg.status, "delivered", JSON.stringify(leg))
    assert.strictEqual(new Set(legs.map(({ txHash }) => txHash)).size, transactions)
    return id
  })
  return { client, legsOf, quote, submit, sweep }
})

layer(Services.layer(), { excludeTestServices: true, timeout: "60 seconds" })("Sweeps of a wallet end to end", (it) => {
  it.effect("deliver six tokens of two chains under one signature, by one transaction of each chain", () =>
    Effect.gen(function* () {
      const services = yield* Services
      const [alpha, beta] = [place(services, 0), place(services, 1)]
      const owner = yield* freshOwner(alpha, "DAI", "300")
      const { client, quote, sweep } = yield* walletOf(services, owner)
      const holdings: ReadonlyArray<readonly [Place, Symbol, string]> = [
        [alpha, "USDT", "120"],
        [alpha, "WBTC", "0.01"],
        [beta, "USDC", "200"],
        [beta, "DAI", "150"],
        [beta, "USDT", "90"]
      ]
      for (const [at, symbol, amount] of holdings) yield* fund(at, owner.address, symbol, amount)
      const all = [[alpha, "DAI"] as const, ...holdings.map(([at, symbol]) => [at, symbol] as const)]
      const quotes = yield* quote(all)
      const first = yield* sweep(quotes, 2, 2)
      const received = yield* balanceOf(alpha, "USDC", owner.address)
      assert.isTrue(received >= BigInt(quotes.string("totals.minAmountOut.amount")), `received ${received}`)
      for (const [at, symbol] of all) {
        assert.strictEqual(yield* balanceOf(at, symbol, owner.address), 0n, `${at.info.name} ${symbol}`)
      }

      // Legs of one chain need not stand next to each other, and the second time no authorization is needed.
      yield* fund(alpha, owner.address, "DAI", "80")
      yield* fund(beta, owner.address, "USDC", "70")
      yield* fund(alpha, owner.address, "USDT", "60")
      const second = yield* sweep(
        yield* quote([
          [alpha, "USDT"],
          [beta, "USDC"],
          [alpha, "DAI"]
        ]),
        0,
        2
      )
      const listed = yield* Effect.promise(() => client.get(`/owners/${owner.address}/sweeps`))
      assert.deepStrictEqual(
        listed.at<ReadonlyArray<View>>("sweeps").map(({ id }) => id),
        [second, first]
      )
    })
  )

  it.effect("deliver the other tokens if the owner does not hold one any more", () =>
    Effect.gen(function* () {
      const services = yield* Services
      const alpha = place(services, 0)
      const owner = yield* freshOwner(alpha, "DAI", "100")
      yield* fund(alpha, owner.address, "USDT", "90")
      yield* fund(alpha, owner.address, "WBTC", "0.01")
      const { legsOf, quote, submit, sweep } = yield* walletOf(services, owner)
      const quotes = yield* quote([
        [alpha, "USDT"],
        [alpha, "DAI"],
        [alpha, "WBTC"]
      ])
      yield* sweep(yield* quote([[alpha, "DAI"]]), 1, 1)
      const id = yield* submit(quotes, 1)
      const [usdt, dai, wbtc] = yield* legsOf(id).pipe(
        Effect.delay("200 millis"),
        Effect.repeat({
          until: (legs) => legs.filter(({ status }) => status === "delivered").length === 2
        })
      )
      assert.deepStrictEqual([usdt?.status, dai?.status, wbtc?.status], ["delivered", "submitted", "delivered"])
      assert.strictEqual(usdt?.txHash, wbtc?.txHash)
      for (const symbol of ["USDT", "WBTC"] as const) {
        assert.strictEqual(yield* balanceOf(alpha, symbol, owner.address), 0n, symbol)
      }
    })
  )
})
