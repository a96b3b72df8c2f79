/** Worth of fees on real Uniswap contracts. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as RelayerKeys from "../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as FeeSale from "../../../src/adapters/prices/FeeSale.ts"
import * as PoolMarkets from "../../../src/adapters/prices/PoolMarkets.ts"
import * as PoolSales from "../../../src/adapters/prices/PoolSales.ts"
import * as UniswapV3Prices from "../../../src/adapters/prices/UniswapV3Prices.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import { mint } from "../../../src/devnet/Tokens.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { FeeValue } from "../../../src/ports/orchestrator/FeeValue.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import { CallReverted, type ChainClient, Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { chains, OneChain } from "../../support/OneChain.ts"
import * as FeeValueSuite from "../../ports/orchestrator/FeeValue.suite.ts"
import * as Pools from "../../support/Pools.ts"

const WHOLE = 10n ** 18n

const maximum = `0x${"ff".repeat(32)}` as const

const fees = FeeSale.layer(2_000).pipe(
  Layer.provideMerge(Layer.effect(Prices, UniswapV3Prices.make())),
  Layer.provideMerge(PoolMarkets.layer()),
  Layer.provideMerge(RelayerKeys.layer([Accounts.relayers()[0].address])),
  Layer.provideMerge(chains)
)

FeeValueSuite.suite(
  "rehearsed sales on a real chain",
  fees,
  Effect.gen(function* () {
    const dev = yield* OneChain
    const client = yield* Effect.orDie((yield* Chains).get(31337))
    const [token, worthless] = yield* Effect.all([
      Pools.deployToken(dev, 10n ** 24n),
      Pools.deployToken(dev, 10n ** 24n)
    ])
    yield* Pools.open(dev, 3_000, [
      { token, amount: 30_000n * WHOLE },
      { token: dev.tokens.WETH, amount: 10n * WHOLE }
    ])
    return { client, worthless, fee: { token, amount: WHOLE, holder: Pools.ATTACKER } }
  })
)

/** Wei that an amount is worth. */
const worth = (
  token: Address.Address,
  amount: bigint,
  holder?: Address.Address,
  beside?: bigint,
  ofNode: (client: ChainClient) => ChainClient = (client) => client
) =>
  Effect.gen(function* () {
    const client = ofNode(yield* (yield* Chains).get(31337))
    return yield* (yield* FeeValue).realisable(client, token, amount, holder && FeeValueSuite.unpaidBy(holder, beside))
  })

/** A node that rehearses sales, and answers no calls. */
const silent = (client: ChainClient): ChainClient => ({
  ...client,
  call: () => Effect.fail(new ChainUnavailable({ chainId: 31337, method: "eth_call", detail: "away" }))
})

const isNear = (wei: bigint, expected: bigint, message: string) =>
  assert.isTrue(wei > (expected * 97n) / 100n && wei <= expected, `${message}: ${wei} wei, not ${expected}`)

layer(fees)("worth of fees, on a real chain", (it) => {
  it.effect("of a listed token is its price, without a haircut", () =>
    Effect.gen(function* () {
      const { tokens } = yield* OneChain
      isNear(yield* worth(tokens.USDC, 3_000n * 10n ** 6n), (WHOLE * 1_005n) / 1_000n, "3,000 USDC")
      assert.strictEqual(yield* worth(NATIVE, 5n), 5n)
      assert.strictEqual(yield* worth(tokens.WETH, 5n), 5n)
      assert.strictEqual(yield* worth(tokens.FOT, WHOLE), 0n)
      assert.strictEqual(yield* worth(tokens.USDC, 0n), 0n)
    })
  )

  it.effect("of an unlisted token is what its holder's payment sells for, less the haircut", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const token = yield* Pools.deployToken(dev, 10n ** 24n)
      assert.strictEqual(yield* worth(token, WHOLE, Pools.ATTACKER), 0n)
      yield* dev.fund(Pools.ATTACKER, { token: "USDC", amount: 10n ** 12n })
      const sides = [
        { token, amount: 30_000n * WHOLE },
        { token: dev.tokens.USDC, amount: 30_000n * 10n ** 6n }
      ] as const
      yield* Pools.open(dev, 3_000, sides)
      const other = yield* Pools.deployToken(dev, 10n ** 24n)
      yield* Pools.open(dev, 3_000, [
        { token: other, amount: 30_000n * WHOLE },
        { token: dev.tokens.WETH, amount: 10n * WHOLE }
      ])
      // Until then it has the pools that it saw last.
      yield* TestClock.adjust("16 seconds")
      isNear(yield* worth(token, 30n * WHOLE, Pools.ATTACKER), (8n * WHOLE) / 1_000n, "30 tokens over two pools")
      isNear(yield* worth(other, 30n * WHOLE, Pools.ATTACKER), (8n * WHOLE) / 1_000n, "30 tokens over one pool")
      // Neither the fee recipient nor a stranger has any.
      assert.strictEqual(yield* worth(other, 30n * WHOLE), 0n)
      // A sale of ten times the pool pays less than a pool, whatever the price says.
      assert.isTrue((yield* worth(other, 300_000n * WHOLE, Pools.ATTACKER)) < 10n * WHOLE)
    })
  )

  it.effect(
    "of a token in a small pool that counts is its share of what the pool pays for all that is sold with it",
    () =>
      Effect.gen(function* () {
        const dev = yield* OneChain
        const token = yield* Pools.deployToken(dev, 10n ** 24n)
        yield* dev.fund(Pools.ATTACKER, { token: "USDC", amount: 10n ** 12n })
        const sides = [
          { token, amount: 400n * WHOLE },
          { token: dev.tokens.USDC, amount: 400n * 10n ** 6n }
        ] as const
        yield* Pools.open(dev, 3_000, sides, 240)
        const isCounted = (yield* (yield* PoolMarkets.PoolMarkets).read(31337, [{ address: token, decimals: 18 }])).has(
          token
        )
        assert.isTrue(isCounted)
        const alone = yield* worth(token, WHOLE, Pools.ATTACKER)
        isNear(alone, (8n * WHOLE) / 30_000n, "a token")
        const pile = 10_000n * WHOLE
        const promised = yield* worth(token, WHOLE, Pools.ATTACKER, pile)
        assert.isTrue(promised > 0n && promised < alone / 10n, `${promised} of ${alone} wei`)
        // Other exchanges are asked, and need not answer.
        const unanswered = yield* worth(token, WHOLE, Pools.ATTACKER, pile, silent)
        assert.isTrue(unanswered > 0n && unanswered <= promised, `${unanswered} of ${promised} wei`)
        const worthless = yield* Pools.deployToken(dev, 10n ** 24n)
        const failure = yield* Effect.flip(worth(worthless, WHOLE, Pools.ATTACKER, 0n, silent))
        assert.strictEqual(failure._tag, "ChainUnavailable")
        // A large fee counts for the most that the pool has.
        const large = yield* worth(token, pile, Pools.ATTACKER)
        yield* Pools.send(dev, "mint", token, mint(dev.chain.feeRecipient, pile))
        const beside = yield* worth(token, WHOLE, Pools.ATTACKER)
        assert.isTrue(beside > 0n && beside < alone / 10n, `${beside} of ${alone} wei`)
        // All that the recipient holds counts for as much, fee by fee.
        const held = yield* worth(token, WHOLE)
        assert.isTrue(held > 0n && held * 10_000n <= large && held < alone / 10n, `${held} of ${alone} wei`)
      })
  )

  it.effect("of a token in a deep pool loses nearly nothing beside others, and takes one call", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const token = yield* Pools.deployToken(dev, 10n ** 24n)
      yield* Pools.open(dev, 3_000, [
        { token, amount: 30_000n * WHOLE },
        { token: dev.tokens.WETH, amount: 10n * WHOLE }
      ])
      yield* (yield* PoolMarkets.PoolMarkets).read(31337, [{ address: token, decimals: 18 }])
      const alone = yield* worth(token, WHOLE, Pools.ATTACKER)
      yield* Pools.send(dev, "mint", token, mint(dev.chain.feeRecipient, 100n * WHOLE))
      const asked: Array<string> = []
      const told = (client: ChainClient): ChainClient => ({
        ...client,
        call: (request) => (asked.push("call"), client.call(request)),
        simulate: (...request) => (asked.push("simulate"), client.simulate(...request))
      })
      for (const _ of [1, 2]) {
        const beside = yield* worth(token, WHOLE, Pools.ATTACKER, 100n * WHOLE, told)
        assert.isTrue(beside > (alone * 98n) / 100n && beside < alone, `${beside} of ${alone} wei`)
      }
      // The first one does not know yet what the recipient holds.
      assert.deepStrictEqual(asked, ["simulate", "call", "simulate"])
    })
  )

  it.effect(
    "of a token in pools whose quoter fails is its part of what they pay for it alone, or what another exchange pays",
    () =>
      Effect.gen(function* () {
        const dev = yield* OneChain
        const token = yield* Pools.deployToken(dev, 10n ** 24n)
        yield* Pools.open(dev, 3_000, [
          { token, amount: 30_000n * WHOLE },
          { token: dev.tokens.WETH, amount: 10n * WHOLE }
        ])
        const alone = yield* worth(token, WHOLE, Pools.ATTACKER)
        const failing = (client: ChainClient): ChainClient => ({
          ...client,
          call: (request) =>
            request.to === dev.chain.quoter
              ? Effect.fail(new CallReverted({ chainId: 31337, data: maximum, detail: "it fails" }))
              : client.call(request),
          simulate: (steps, options) =>
            Effect.map(client.simulate(steps, options), (outcomes) =>
              outcomes.map((outcome, index) =>
                steps[index]?.to === dev.chain.quoter ? { ...outcome, success: false, returnData: maximum } : outcome
              )
            )
        })
        const sell = yield* PoolSales.make
        const client = failing(yield* (yield* Chains).get(31337))
        const fee = { token, amount: WHOLE, holder: Pools.ATTACKER }
        const inPools = (beside: bigint) => Effect.map(sell(client, fee, Effect.succeed(beside)), ({ wei }) => wei)
        isNear(((yield* inPools(9n * WHOLE)) * 8n) / 10n, alone / 10n, "a tenth")
        assert.strictEqual(yield* inPools(2n ** 256n), 0n)
        // The same pool, as the exchange of the chains file.
        isNear(yield* worth(token, WHOLE, Pools.ATTACKER, 9n * WHOLE, failing), alone, "all of it")
      })
  )

  it.effect("of a token in a narrow pool is its share of what the pool pays for all that the recipient holds", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const token = yield* Pools.deployToken(dev, 10n ** 24n)
      yield* dev.fund(Pools.ATTACKER, { token: "USDC", amount: 10n ** 12n })
      const sides = [
        { token, amount: 150n * WHOLE },
        { token: dev.tokens.USDC, amount: 150n * 10n ** 6n }
      ] as const
      yield* Pools.open(dev, 10_000, sides, 200)
      const alone = yield* worth(token, WHOLE, Pools.ATTACKER)
      isNear(alone, (8n * WHOLE) / 30_000n, "a token")
      // The pool has 150 dollars for 1,001 tokens, whether others hold them yet or the recipient has them.
      const promised = yield* worth(token, WHOLE, Pools.ATTACKER, 1_000n * WHOLE)
      assert.isTrue(promised < (alone * 16n) / 100n, `${promised} of ${alone} wei`)
      // More than a word of the ABI has, as a token may report it.
      assert.strictEqual(yield* worth(token, WHOLE, Pools.ATTACKER, 2n ** 256n), 0n)
      yield* Pools.send(dev, "mint", token, mint(dev.chain.feeRecipient, 1_000n * WHOLE))
      assert.isTrue((yield* worth(token, WHOLE, Pools.ATTACKER)) < (alone * 16n) / 100n)
    })
  )

  it.effect("of a token whose pool runs out in the sale is what the pool has, and other exchanges are asked", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const token = yield* Pools.deployToken(dev, 10n ** 24n)
      yield* dev.fund(Pools.ATTACKER, { token: "USDC", amount: 10n ** 12n })
      yield* Pools.open(
        dev,
        10_000,
        [
          { token, amount: 300n * WHOLE },
          { token: dev.tokens.USDC, amount: 300n * 10n ** 6n }
        ],
        200
      )
      const client = yield* (yield* Chains).get(31337)
      const sell = yield* PoolSales.make
      const sold = (amount: bigint) => sell(client, { token, amount, holder: Pools.ATTACKER }, Effect.succeed(0n))
      assert.isTrue((yield* sold(WHOLE)).isDeep)
      // The router takes a part of the tokens, and does not revert.
      const all = yield* sold(1_000n * WHOLE)
      assert.isTrue(all.wei > 0n && all.wei <= WHOLE / 10n, `${all.wei} wei of 300 dollars`)
      assert.strictEqual((yield* sold(100_000n * WHOLE)).wei, all.wei)
      assert.isFalse(all.isDeep)
    })
  )

  it.effect("of a token whose pool was moved is at most what the pool's mean says, in the pools that count", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const { USDC } = dev.tokens
      const token = yield* Pools.deployToken(dev, 10n ** 24n)
      yield* dev.fund(Pools.ATTACKER, { token: "USDC", amount: 10n ** 12n })
      const dollars = (amount: bigint) => ({ token: USDC, amount: amount * 10n ** 6n })
      yield* Pools.open(dev, 3_000, [{ token, amount: 30_000n * WHOLE }, dollars(30_000n)])
      yield* Pools.growRing(dev, token, USDC, 3_000)
      // It writes the observation that the mean begins with.
      yield* Pools.swap(dev, dollars(100n), token, 3_000)
      yield* Pools.age(dev, 3_600)
      const sell = yield* PoolSales.make
      const client = yield* (yield* Chains).get(31337)
      const sale = sell(client, { token, amount: WHOLE, holder: Pools.ATTACKER }, Effect.succeed(0n))
      const before = yield* sale
      isNear(before.wei, (101n * WHOLE) / 300_000n, "a token")
      yield* Pools.swap(dev, dollars(30_000n), token, 3_000)
      for (const wait of ["1 second", "16 seconds"] as const) {
        yield* TestClock.adjust(wait)
        const { wei } = yield* sale
        assert.isTrue(wei >= before.wei && wei * 100n <= before.wei * 106n, `${wei} of ${before.wei} wei`)
      }
    })
  )
})
