/** A small replayable market: tokens of every kind through the real service, with honest services and with ones that lie, die and lag. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Quotes from "../../bench/market/Quotes.ts"
import * as DevMarket from "../../src/apps/DevMarket.ts"
import { DARK, HONEYPOTS } from "../../src/devnet/market/Market.ts"
import type { Placed } from "../../src/devnet/market/Plan.ts"
import { Services } from "../support/Services.ts"

/**
 * With this seed a market of 16 tokens has every kind of token, of symbol and of decimals. Of those that are ordinary, one has pools on
 * Uniswap v4 alone, one is unlisted and has no price, and one is unlisted and has thin pools alone.
 */
const MARKET = { tokens: 16, seed: 51_726, shapes: ["base", "bnb"] } as const

const unmeasured = { fetch: globalThis.fetch, between: () => 0, forget: () => undefined }

/** Tokens that the service must sell: nothing about them is odd, and an exchange of the chains file trades them. */
const isOrdinary = ({ kind, pools }: Placed): boolean => kind === "plain" && pools.some(({ venue }) => venue !== DARK)

/** Quotes the tokens, and the faults of each order. */
const played = Effect.fnUntraced(function* (isAsked: (token: Placed) => boolean) {
  const { info, market, network } = yield* Services
  if (market === undefined) return yield* Effect.die("the network has no market")
  const owner = info.accounts[0]?.address
  if (owner === undefined) return yield* Effect.die("the network has no accounts")
  const listed = DevMarket.routersOf(market, network)
  return yield* Effect.forEach(
    market.served.flatMap((chain) => chain.plan.tokens.filter(isAsked).map((token) => ({ chain, token }))),
    ({ chain, token }) =>
      Effect.promise(async () => {
        const asking = { waiting: unmeasured, orchestratorUrl: info.orchestratorUrl, chain, owner, idleShare: 0 }
        const quoted = await Quotes.quote(asking, token)
        if (quoted.order === undefined) return { quoted, faults: [] }
        const swapped = await Quotes.carriedOut(asking, quoted.order)
        return { quoted, faults: Quotes.faultsOf(asking, token, quoted.order, swapped, listed) }
      }),
    { concurrency: 4 }
  )
})

/** Time after which a token is tried again whose trial a busy machine did not finish, in milliseconds, and the number of such repeats. */
const UNPROVEN_MILLIS = 31_000
const REPEATS = 2

const unsoldOf = (judged: Effect.Success<ReturnType<typeof played>>) =>
  judged.filter(({ quoted }) => isOrdinary(quoted.token) && quoted.order === undefined)

layer(Services.layer({ market: MARKET }), { excludeTestServices: true })("a replayable market", (it) => {
  it.effect("sells what is ordinary, and quotes no honeypot", () =>
    Effect.gen(function* () {
      const judged = yield* played(() => true)
      assert.strictEqual(judged.length, MARKET.tokens)
      assert.deepStrictEqual(
        judged.flatMap(({ faults }) => faults),
        []
      )
      const traps = judged.filter(({ quoted }) => HONEYPOTS.has(quoted.token.kind) || quoted.token.kind === "paused")
      assert.isAbove(traps.length, 0)
      assert.deepStrictEqual(
        traps.map(({ quoted }) => quoted.order),
        traps.map(() => undefined)
      )
      let unsold = unsoldOf(judged)
      for (let repeat = 0; repeat < REPEATS && unsold.length > 0; repeat++) {
        yield* Effect.sleep(UNPROVEN_MILLIS)
        const missed = new Set(unsold.map(({ quoted }) => quoted.token.address))
        unsold = unsoldOf(yield* played(({ address }) => missed.has(address)))
      }
      assert.deepStrictEqual(
        unsold.map(({ quoted }) => `${quoted.token.symbol} ${quoted.reason}`),
        []
      )
    })
  )

  it.effect("lets no lie into an order", () =>
    Effect.gen(function* () {
      const { market } = yield* Services
      for (const mood of ["lying", "mixed"] as const) {
        yield* market?.services.setMood(mood) ?? Effect.void
        const judged = yield* played(isOrdinary)
        assert.isAbove(judged.filter(({ quoted }) => quoted.order !== undefined).length, 0)
        assert.deepStrictEqual(
          judged.flatMap(({ faults }) => faults),
          []
        )
      }
      const faults = yield* market?.services.faults ?? Effect.succeed(new Map<string, number>())
      assert.isAbove(faults.size, 0)
    })
  )
})
