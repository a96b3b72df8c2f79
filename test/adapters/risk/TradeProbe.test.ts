/** Trial trades on a real chain, with pools of tokens that tax and trap. */
import { assert, describe, it as test, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { encodeDeployData, encodeFunctionData } from "viem"
import { hostileToken } from "../../../chaos/attacks/hostile.generated.ts"
import * as MemoryRelayerKeys from "../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as TradeProbe from "../../../src/adapters/risk/TradeProbe.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as Address from "../../../src/domain/Address.ts"
import { NoRoute, RoutingUnavailable, type SwapRoute, SwapVenue } from "../../../src/ports/orchestrator/SwapVenue.ts"
import type { Trial } from "../../../src/domain/TokenVerdict.ts"
import { Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { chains, OneChain } from "../../support/OneChain.ts"
import { ATTACKER, open, send } from "../../support/Pools.ts"

const TRIGGER = { always: 1 }
const DEED = { revert: 0, tax: 3 }
const WHOLE = 10n ** 18n

const environment = Layer.mergeAll(
  UniswapV3.layer,
  SecureRandom.layerWebCrypto,
  MemoryRelayerKeys.layer([Accounts.relayers()[0].address])
).pipe(Layer.provideMerge(chains))

/** A token with a pool against the wrapped native currency, which behaves until it is turned. */
const hostile = Effect.gen(function* () {
  const dev = yield* OneChain
  const { abi, creationCode: bytecode } = hostileToken
  const deployed = yield* send(dev, "deploy", undefined, encodeDeployData({ abi, bytecode, args: [ATTACKER] }))
  const token = Address.of(deployed.contractAddress ?? "")
  const call = (label: string, data: `0x${string}`) => send(dev, label, token, data)
  yield* call("mint", encodeFunctionData({ abi, functionName: "mint", args: [[ATTACKER], 10n ** 24n] }))
  yield* open(dev, 3_000, [
    { token, amount: 100_000n * WHOLE },
    { token: dev.chain.wrappedNative, amount: 5n * WHOLE }
  ])
  /** Faithful transfers from now on, after which the deed is done. */
  const turn = (deed: number, size: bigint, patience: bigint) =>
    call("turn", encodeFunctionData({ abi, functionName: "turn", args: [TRIGGER.always, deed, size, 0n, patience] }))
  return { token, turn }
})

const tryOut = (token: Address.Address) =>
  Effect.gen(function* () {
    const client = yield* (yield* Chains).get(31337)
    return yield* (yield* TradeProbe.make)(client, token)
  })

layer(environment)("a trial trade", (it) => {
  it.effect("sells a sound token without a tax", () =>
    Effect.gen(function* () {
      const { tokens } = yield* OneChain
      const trial = yield* tryOut(tokens.WBTC)
      assert.strictEqual(trial._tag, "Sold")
      if (trial._tag !== "Sold") return
      for (const bps of Object.values(trial.taxes)) assert.isBelow(bps, 50)
    })
  )

  it.effect("is unproven without a market and for what is no token", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* tryOut(FakeChain.address(0x52)))._tag, "Unproven")
    })
  )

  it.effect("finds a token that can be bought and moved, and not sold", () =>
    Effect.gen(function* () {
      const { token, turn } = yield* hostile
      assert.strictEqual((yield* tryOut(token))._tag, "Sold")
      // The purchase and the transfer are faithful, and the sale reverts.
      yield* turn(DEED.revert, 0n, 2n)
      assert.deepStrictEqual(yield* tryOut(token), { _tag: "Trapped", at: "sell" })
      yield* turn(DEED.revert, 0n, 1n)
      assert.deepStrictEqual(yield* tryOut(token), { _tag: "Trapped", at: "transfer" })
    })
  )

  it.effect("measures the tax of a transfer", () =>
    Effect.gen(function* () {
      const { token, turn } = yield* hostile
      yield* turn(DEED.tax, 1_000n, 1n)
      const trial = yield* tryOut(token)
      // A pool of Uniswap v3 refuses what arrives taxed, so the sale fails after a transfer that lost a tenth.
      assert.deepStrictEqual(trial, { _tag: "Trapped", at: "sell" })
      yield* turn(DEED.tax, 6_000n, 1n)
      const heavy = yield* tryOut(token)
      assert.strictEqual(heavy._tag === "Sold" && heavy.taxes.transferBps, 6_000)
    })
  )
})

describe("a trial trade without an answer", () => {
  const TOKEN = FakeChain.address(0x52)
  const ROUTE: SwapRoute = {
    provider: "fake",
    target: FakeChain.address(0x53),
    calldata: "0x",
    amountOut: 10n ** 18n,
    minAmountOut: 0n,
    gas: 100_000n,
    passing: 0
  }
  const down = new ChainUnavailable({ chainId: 31337, method: "eth_call", detail: "HTTP 429" })

  const tried = (route: Effect.Effect<SwapRoute, NoRoute | RoutingUnavailable>) =>
    Effect.flatMap(TradeProbe.make, (tryOut) =>
      Effect.result(tryOut(FakeChain.client({ simulate: () => Effect.fail(down) }), TOKEN))
    ).pipe(
      Effect.provide([
        Layer.mock(SwapVenue, { route: () => route }),
        SecureRandom.layerWebCrypto,
        MemoryRelayerKeys.layer([Accounts.relayers()[0].address])
      ])
    )

  test.effect("fails, and is unproven only where there is no route", () =>
    Effect.gen(function* () {
      const unproven = Result.succeed<Trial>({ _tag: "Unproven" })
      assert.deepStrictEqual(yield* tried(Effect.fail(new NoRoute({ detail: "no pool" }))), unproven)
      const silent = new RoutingUnavailable({ provider: "fake", detail: "HTTP 429" })
      assert.deepStrictEqual(yield* tried(Effect.fail(silent)), Result.fail(silent))
      assert.deepStrictEqual(yield* tried(Effect.succeed(ROUTE)), Result.fail(down))
    })
  )
})
