import { assert, describe, it, layer } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import { encodeFunctionResult, multicall3Abi } from "viem"
import * as MulticallBalances from "../../../src/adapters/portfolio/MulticallBalances.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { NATIVE, type TokenInfo } from "../../../src/domain/Token.ts"
import { Balances } from "../../../src/ports/orchestrator/Balances.ts"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import * as BalancesSuite from "../../ports/orchestrator/Balances.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { withLiveClock } from "../../support/LiveClock.ts"
import { chains, chainsWith, OneChain } from "../../support/OneChain.ts"

const owner = FakeChain.address(0x51)
const pauper = FakeChain.address(0x52)

const native = (chain: Pick<Chain, "id" | "nativeSymbol">): TokenInfo => ({
  chainId: chain.id,
  address: NATIVE,
  symbol: chain.nativeSymbol,
  name: chain.nativeSymbol,
  decimals: 18
})

const gifts = { USDT: 7n, DAI: 5n * 10n ** 18n } as const

const funded = Layer.effectDiscard(
  Effect.gen(function* () {
    const { node, fund } = yield* OneChain
    yield* node.ask("endow", (client) => client.setBalance({ address: owner, value: 12_345n }))
    for (const token of ["USDT", "DAI"] as const) yield* fund(owner, { token, amount: gifts[token] })
  }).pipe(withLiveClock, Effect.orDie)
)

BalancesSuite.suite(
  "Multicall3 on a real chain",
  MulticallBalances.layer.pipe(Layer.merge(funded), Layer.provideMerge(chains)),
  Effect.map(OneChain, ({ chain, tokens }) => ({
    chainId: chain.id,
    owner,
    pauper,
    held: [
      { token: native(chain), balance: 12_345n },
      ...(["USDT", "DAI"] as const).flatMap((symbol) =>
        chain.tokens
          .filter((token) => token.address === tokens[symbol])
          .map((token) => ({ token, balance: gifts[symbol] }))
      )
    ]
  }))
)

layer(
  MulticallBalances.layer.pipe(
    Layer.provide(
      chainsWith((chain) => ({
        ...chain,
        tokens: [
          // One of them is the sentinel address of native currency, which some token lists contain.
          ...Array.makeBy(450, (index) => ({
            chainId: chain.id,
            address: FakeChain.address(index % 250),
            symbol: `GONE${index}`,
            name: "No contract",
            decimals: 18
          })),
          ...chain.tokens
        ]
      }))
    ),
    Layer.provideMerge(OneChain.layer)
  )
)("MulticallBalances over a long list with dead entries, on a real chain", (it) => {
  it.effect("finds the real ones", () =>
    Effect.gen(function* () {
      const [user] = Accounts.users()
      const { chain } = yield* OneChain
      const held = yield* (yield* Balances).on(chain.id, user?.address ?? owner)
      assert.deepStrictEqual(
        held.map(({ token }) => token.symbol),
        ["ETH", ...chain.tokens.map((token) => token.symbol)]
      )
    })
  )
})

describe("MulticallBalances", () => {
  const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`
  const answer = (...returned: ReadonlyArray<Hex | undefined>): Partial<ChainClient> => ({
    call: () =>
      Effect.succeed(
        encodeFunctionResult({
          abi: multicall3Abi,
          functionName: "aggregate3",
          result: returned.map((returnData) => ({ success: returnData !== undefined, returnData: returnData ?? "0x" }))
        })
      )
  })
  const symbols = Effect.map(
    Effect.flatMap(Balances, (balances) => balances.on(FakeChain.chain.id, owner)),
    (held) => held.map(({ balance, token }) => `${token.symbol} ${balance}`)
  )

  it.effect("leaves out tokens that revert, say too little or too much, and keeps the rest", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* symbols, ["ETH 1", "LST 9"])
    }).pipe(
      Effect.provide(
        MulticallBalances.layer.pipe(
          Layer.provide(FakeChain.layer(answer(word(1n), undefined, `0x${"ff".repeat(4_096)}`, word(9n))))
        )
      )
    )
  )

  it.effect("is unavailable when the chain is", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(symbols)
      assert.include(error.detail, "down")
    }).pipe(
      Effect.provide(
        MulticallBalances.layer.pipe(
          Layer.provide(
            FakeChain.layer({
              call: () =>
                Effect.fail(new ChainUnavailable({ chainId: FakeChain.chain.id, method: "eth_call", detail: "down" }))
            })
          )
        )
      )
    )
  )

  it.effect("is unavailable when Multicall3 answers with garbage, or for fewer tokens", () =>
    Effect.gen(function* () {
      for (const answers of [
        answer(word(1n)),
        { call: () => Effect.succeed<Hex>("0x") },
        { call: () => Effect.succeed<Hex>(`0x${"ff".repeat(64)}`) }
      ]) {
        const adapter = MulticallBalances.layer.pipe(Layer.provide(FakeChain.layer(answers)))
        assert.strictEqual((yield* Effect.flip(symbols.pipe(Effect.provide(adapter))))._tag, "BalancesUnavailable")
      }
    })
  )
})
