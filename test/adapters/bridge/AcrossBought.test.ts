/** The outcome of a swap on arrival for native currency, whose wrapped token logs the unwrapping in one of two ways. */
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { encodeEventTopics, encodeFunctionData, numberToHex, parseAbi } from "viem"
import * as AcrossBought from "../../../src/adapters/bridge/AcrossBought.ts"
import type * as AcrossPurchase from "../../../src/adapters/bridge/AcrossPurchase.ts"
import { swapRouter02Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { address } from "../../support/FakeChain.ts"
import * as FakeEnds from "./fakeEnds.ts"

const [SOLD, WRAPPED, ROUTER, HANDLER, RECIPIENT] = [0x11, 0x22, 0x33, 0x44, 0x55].map(address) as [
  Address.Address,
  Address.Address,
  Address.Address,
  Address.Address,
  Address.Address
]
const FILL = FakeEnds.hash(0xf1)

const call = (nested: ReadonlyArray<`0x${string}`>) =>
  encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [2n ** 40n, nested] })

const purchase: AcrossPurchase.Purchase = {
  sold: SOLD,
  amount: 1_000n,
  router: ROUTER,
  fallbackRecipient: RECIPIENT,
  calldata: call([
    encodeFunctionData({
      abi: swapRouter02Abi,
      functionName: "exactInputSingle",
      args: [
        {
          tokenIn: SOLD,
          tokenOut: WRAPPED,
          fee: 500,
          // The router itself.
          recipient: "0x0000000000000000000000000000000000000002",
          amountIn: 1_000n,
          amountOutMinimum: 0n,
          sqrtPriceLimitX96: 0n
        }
      ]
    }),
    encodeFunctionData({ abi: swapRouter02Abi, functionName: "unwrapWETH9", args: [900n, RECIPIENT] })
  ])
}

const withdrawal = (source: Address.Address, amount: bigint) =>
  FakeEnds.log(
    WRAPPED,
    encodeEventTopics({
      abi: parseAbi(["event Withdrawal(address indexed source, uint256 amount)"]),
      args: { source }
    }) as ReadonlyArray<Hash>,
    numberToHex(amount, { size: 32 }),
    FILL
  )

const burn = (from: Address.Address, amount: bigint, to: Address.Address = Address.zero, token = WRAPPED) =>
  FakeEnds.transfer(token, to, amount, FILL, 0, from)

const outcomeOf = (...logs: Parameters<typeof AcrossBought.outcomeOf>[0]) =>
  Option.getOrUndefined(AcrossBought.outcomeOf(logs, HANDLER, purchase))

describe("native currency that is bought on arrival", () => {
  it("is proved by the event of the unwrapping", () => {
    assert.deepStrictEqual(outcomeOf(withdrawal(ROUTER, 950n)), { _tag: "Bought", amount: 950n })
  })

  it("is proved by the router's transfer to the zero address, on chains whose wrapped token logs nothing else", () => {
    assert.deepStrictEqual(outcomeOf(burn(ROUTER, 950n)), { _tag: "Bought", amount: 950n })
    assert.deepStrictEqual(outcomeOf(burn(ROUTER, 950n), withdrawal(ROUTER, 950n)), { _tag: "Bought", amount: 950n })
  })

  it("is not proved by any other transfer or unwrapping", () => {
    const others = [
      burn(HANDLER, 950n),
      burn(ROUTER, 899n),
      burn(ROUTER, 950n, RECIPIENT),
      burn(ROUTER, 950n, Address.zero, SOLD),
      withdrawal(HANDLER, 950n),
      withdrawal(ROUTER, 899n)
    ]
    assert.isUndefined(outcomeOf(...others))
  })
})
