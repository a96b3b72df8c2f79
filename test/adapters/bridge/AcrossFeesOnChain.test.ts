/** Fees from the chains alone, with the real HubPool and configuration store of Across on a local chain. */
import { createRequire } from "node:module"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { encodeDeployData, encodeFunctionData, type Hex, parseAbi } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { AcrossFees, type FeeRequest } from "../../../src/adapters/bridge/AcrossFees.ts"
import * as AcrossFeesOnChain from "../../../src/adapters/bridge/AcrossFeesOnChain.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { chains as oneChain, OneChain } from "../../support/OneChain.ts"
import { asUser } from "../evm/contracts/asUser.ts"

const [user] = Accounts.users()
if (user === undefined) throw new Error("the local network has users")

const abi = parseAbi([
  "constructor(address lpTokenFactory, address finder, address weth, address timer)",
  "function enableL1TokenForLiquidityProvision(address l1Token)",
  "function addLiquidity(address l1Token, uint256 amount) payable",
  "function updateTokenConfig(address l1Token, string value)"
])

const bytecodeOf = (name: string): Hex => {
  const { bytecode } = createRequire(import.meta.url)(
    `@across-protocol/contracts/dist/evm/artifacts/${name}.sol/${name}.json`
  ) as { readonly bytecode: string }
  return bytecode.startsWith("0x") ? (bytecode as Hex) : `0x${bytecode}`
}

const DEPTH = 100_000_000_000n

/** Yearly 0 % without use, 4 % at a use of 80 %, and 64 % at full use. Dearer on one route. */
const MODEL = { UBar: "800000000000000000", R0: "0", R1: "40000000000000000", R2: "600000000000000000" }
const DEAR = { ...MODEL, R0: "500000000000000000" }

const USD = 10n ** 18n

const scene = Effect.gen(function* () {
  const dev = yield* OneChain
  const account = privateKeyToAccount(user.privateKey)
  const deploy = (data: Hex) =>
    Effect.orDie(
      dev.node.ask("deploy", async (client) => {
        const hash = await client.sendTransaction({ account, chain: client.chain, data, gas: 8_000_000n })
        const { contractAddress } = await client.waitForTransactionReceipt({ hash })
        return Address.of(contractAddress ?? "")
      })
    )
  const { USDC, WETH } = dev.tokens
  const factory = yield* deploy(bytecodeOf("LpTokenFactory"))
  const hubPool = yield* deploy(
    encodeDeployData({ abi, bytecode: bytecodeOf("HubPool"), args: [factory, Address.zero, WETH, Address.zero] })
  )
  const configStore = yield* deploy(bytecodeOf("AcrossConfigStore"))
  const { approve, send } = asUser(dev, user)
  const config = JSON.stringify({ rateModel: MODEL, routeRateModel: { "31337-31339": DEAR } })
  yield* Effect.orDie(dev.fund(user.address, { token: "USDC", amount: DEPTH }))
  yield* send(hubPool, encodeFunctionData({ abi, functionName: "enableL1TokenForLiquidityProvision", args: [USDC] }))
  yield* approve(USDC, hubPool)
  yield* send(hubPool, encodeFunctionData({ abi, functionName: "addLiquidity", args: [USDC, DEPTH] }))
  yield* send(configStore, encodeFunctionData({ abi, functionName: "updateTokenConfig", args: [USDC, config] }))

  const client = yield* Effect.flatMap(Chains, ({ get }) => get(31_337))
  const destination = { ...client.chain, id: 31_338, name: "destination" }
  /** A fee for USDC, by a hub and a maximum. */
  const quote = (change: Partial<FeeRequest> = {}, maxFeeBps = 3_000, hub = { hubPool, configStore }) =>
    Effect.gen(function* () {
      const request: FeeRequest = {
        source: client.chain,
        destination,
        inputToken: USDC,
        outputToken: USDC,
        inputAmount: 10_000_000_000n,
        decimals: { from: 6, to: 6 },
        recipient: Address.zero,
        now: 1_800_000_000,
        ...change
      }
      const context = yield* Layer.build(
        AcrossFeesOnChain.layer({ maxFeeBps, fillDeadlineSeconds: 7_200, hub: { chainId: 31_337, ...hub } }).pipe(
          Layer.provide([
            Layer.succeed(Chains, {
              all: [client],
              get: (id) => Effect.succeed(id === 31_337 ? client : { ...client, chain: destination })
            }),
            Layer.succeed(Prices, {
              usd: () =>
                Effect.succeed(
                  new Map([
                    [NATIVE, 3_000n * USD],
                    [USDC, USD]
                  ])
                ),
              detailed: () => Effect.die("not asked for")
            })
          ])
        )
      )
      return yield* Context.get(context, AcrossFees).quote(request)
    })
  return { client, destination, quote }
})

describe("fees of Across from the chains alone", () => {
  layer(oneChain)((it) => {
    it.effect("are those of the pool's liquidity and of a relayer's gas, within the maximum", () =>
      Effect.gen(function* () {
        const { client, destination, quote } = yield* scene
        const { baseFeePerGas, maxPriorityFeePerGas } = yield* client.feesPerGas
        const gas = ((baseFeePerGas + maxPriorityFeePerGas) * 150_000n * 3_000n * 10n ** 6n) / USD + 1n
        const near = (actual: bigint, expected: number) =>
          assert.closeTo(Number(actual), expected, Number(gas) + 10_000)
        // 10,000 of 100,000 USDC use a tenth of the pool, at 0.25 % a year on average; relayers keep 0.03 %.
        const weekly = (yearly: number) => Math.expm1(Math.log1p(yearly) / 52)
        near((yield* quote()).outputAmount, 10e9 * (1 - weekly(0.0025) - 0.0003) - Number(gas))
        // The whole pool, beyond the kink.
        const all = yield* quote({ inputAmount: DEPTH })
        const mean = (0.5 * 0.8 * 0.04 + 0.2 * (0.04 + 0.3)) / 1
        near(all.outputAmount, 100e9 * (1 - weekly(mean) - 0.0003) - Number(gas))
        // A route of its own.
        const dear = yield* quote({ destination: { ...destination, id: 31_339 } })
        near(dear.outputAmount, 10e9 * (1 - weekly(0.5025) - 0.0003) - Number(gas))
        assert.deepInclude(all, { quoteTimestamp: 1_800_000_000, fillDeadline: 1_800_007_200, exclusivitySeconds: 0 })

        // Above the maximum nobody would fill the deposit.
        const refused = yield* Effect.flip(quote({ inputAmount: DEPTH }, 10))
        assert.strictEqual(refused._tag, "NoRoute")
        // More than the pool has, which no fee pays for. Without a price, too.
        for (const change of [{}, { outputToken: Address.of(user.address) }]) {
          const tooLarge = yield* Effect.flip(quote({ inputAmount: 2n * DEPTH, ...change }, 100))
          assert.deepInclude(tooLarge, { _tag: "NoRoute", detail: "the amount is above the liquidity of Across" })
        }
        // A hub that does not answer leaves the maximum.
        const silent = { hubPool: Address.of(user.address), configStore: Address.of(user.address) }
        assert.strictEqual((yield* quote({}, 100, silent)).outputAmount, 9_900_000_000n)
      })
    )
  })
})
