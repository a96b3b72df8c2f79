import { assert, describe, it } from "@effect/vitest"
import { encodeFunctionData } from "viem"
import * as AcrossDeposit from "../../../src/adapters/bridge/AcrossDeposit.ts"
import * as AcrossPurchase from "../../../src/adapters/bridge/AcrossPurchase.ts"
import { swapRouter02Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { QuotedToken } from "../../../src/sdk/model/Batch.ts"
import { readBridgeCall } from "../../../src/sdk/review/BridgeCall.ts"
import { collector } from "../../../src/sdk/review/Mismatches.ts"
import { readPurchase, swapOnArrival } from "../../../src/sdk/review/PurchaseCall.ts"
import type { ReviewOptions } from "../../../src/sdk/review/ReviewOptions.ts"
import { address } from "../../support/FakeChain.ts"

const HANDLER = address(0x91)
const ROUTER = address(0x92)
const OWNER = address(0x93)
const STRANGER = address(0x94)
const [USDC, OTHER_USDC, PEPE] = [address(0xa1), address(0xa2), address(0xa3)]

const swapCall = (
  change: { readonly recipient?: Address.Address; readonly amountIn?: bigint; readonly deadline?: bigint } = {}
) => {
  const { amountIn = 990n, deadline = 5_000n, recipient = OWNER } = change
  const call = encodeFunctionData({
    abi: swapRouter02Abi,
    functionName: "exactInputSingle",
    args: [
      {
        tokenIn: OTHER_USDC,
        tokenOut: PEPE,
        fee: 500,
        recipient,
        amountIn,
        amountOutMinimum: 700n,
        sqrtPriceLimitX96: 0n
      }
    ]
  })
  return encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [deadline, [call]] })
}

const purchase: AcrossPurchase.Purchase = {
  sold: OTHER_USDC,
  amount: 990n,
  router: ROUTER,
  calldata: swapCall(),
  fallbackRecipient: OWNER
}

const calldataOf = (
  change: Partial<AcrossPurchase.Purchase> = {},
  deposit: Partial<AcrossDeposit.AcrossDeposit> = {}
) =>
  AcrossDeposit.encode({
    depositor: OWNER,
    recipient: HANDLER,
    inputToken: USDC,
    outputToken: OTHER_USDC,
    inputAmount: 1_000n,
    outputAmount: 990n,
    destinationChainId: 10n,
    exclusiveRelayer: Address.zero,
    quoteTimestamp: 1_000,
    fillDeadline: 5_000,
    exclusivityParameter: 0,
    message: AcrossPurchase.encode({ ...purchase, ...change }),
    ...deposit
  })

const offer = (change: object = {}) =>
  ({
    order: { tokenIn: USDC, tokenOut: PEPE, destChainId: 10n, destination: OWNER },
    quote: {
      sourceChainId: 8453,
      arrivesInsteadIfSwapFails: { token: OTHER_USDC, minAmount: 990n },
      ...change
    }
  }) as unknown as QuotedToken

const bridges = { 8453: { tokens: { COIN: USDC } }, 10: { tokens: { COIN: OTHER_USDC } } }

/** Fields that the review refuses, or what the recipient gets. */
const reviewed = (
  calldata: Parameters<typeof readBridgeCall>[0],
  quoted = offer(),
  known: ReviewOptions = { bridges }
) => {
  const call = readBridgeCall(calldata, true)
  if (call === undefined) return "unreadable"
  const check = collector()
  const arrival = swapOnArrival({ handlers: { 10: HANDLER }, routers: { 10: ROUTER } })(check, quoted, call, known)
  return check.found.length > 0 ? check.found.map(({ field }) => field) : arrival
}

describe("a swap on arrival", () => {
  it("reads as what the recipient gets", () => {
    assert.deepStrictEqual(reviewed(calldataOf()), { recipient: OWNER, outputToken: PEPE, outputAmount: 700n })
  })

  it("is not read by a review that was not given a reader", () => {
    assert.isUndefined(readBridgeCall(calldataOf()))
  })

  it("is refused in every part that differs", () => {
    const refused = {
      "order.swapCalldata.handler": calldataOf({}, { recipient: STRANGER }),
      "order.swapCalldata.router": calldataOf({ router: STRANGER }),
      "order.swapCalldata.purchase.sold": calldataOf({ sold: PEPE }),
      "order.swapCalldata.purchase.amount": calldataOf({ amount: 991n }),
      "order.swapCalldata.purchase.fallbackRecipient": calldataOf({ fallbackRecipient: STRANGER }),
      "order.swapCalldata.purchase.amountIn": calldataOf({ calldata: swapCall({ amountIn: 989n }) }),
      "order.swapCalldata.purchase.deadline": calldataOf({ calldata: swapCall({ deadline: 4_999n }) })
    }
    for (const [field, calldata] of Object.entries(refused)) assert.deepStrictEqual(reviewed(calldata), [field])
    const stranger = swapCall({ recipient: STRANGER })
    assert.deepStrictEqual(reviewed(calldataOf({ calldata: stranger, fallbackRecipient: STRANGER })), {
      recipient: STRANGER,
      outputToken: PEPE,
      outputAmount: 700n
    })
  })

  it("is refused if the quote says something else about its failure, or the bridged token is another asset", () => {
    const field = "quote.arrivesInsteadIfSwapFails"
    assert.deepStrictEqual(reviewed(calldataOf(), offer({ arrivesInsteadIfSwapFails: undefined })), [field])
    assert.deepStrictEqual(
      reviewed(calldataOf(), offer({ arrivesInsteadIfSwapFails: { token: OTHER_USDC, minAmount: 991n } })),
      [`${field}.minAmount`]
    )
    assert.deepStrictEqual(reviewed(calldataOf({}, { inputToken: PEPE })), ["order.swapCalldata.outputToken"])
  })

  it("is refused if little of what enters the bridge arrives when the swap fails", () => {
    const field = "order.swapCalldata.outputAmount"
    assert.deepStrictEqual(reviewed(calldataOf({}, { inputAmount: 1_043n })), [field])
    assert.deepStrictEqual(reviewed(calldataOf({}, { inputAmount: 1_042n })), {
      recipient: OWNER,
      outputToken: PEPE,
      outputAmount: 700n
    })
    const decimals = {
      8453: { tokens: { COIN: USDC }, decimals: { COIN: 6 } },
      10: { tokens: { COIN: OTHER_USDC }, decimals: { COIN: 18 } }
    }
    assert.deepStrictEqual(reviewed(calldataOf(), offer(), { bridges: decimals }), [field])
  })

  it("is refused if little of its value arrives when the swap fails, also after a swap before the bridge", () => {
    const prices = [
      { chainId: 8453, token: USDC, decimals: 0, usd: 1 },
      { chainId: 10, token: OTHER_USDC, decimals: 0, usd: 1 }
    ]
    const paying = (amountIn: bigint) => {
      const quoted = offer({ total: 10n })
      return { ...quoted, order: { ...quoted.order, amountIn } }
    }
    assert.isFalse(Array.isArray(reviewed(calldataOf(), paying(1_030n), { bridges, prices })))
    assert.deepStrictEqual(reviewed(calldataOf(), paying(1_031n), { bridges, prices }), [
      "quote.arrivesInsteadIfSwapFails.minAmount"
    ])
  })

  it("is refused if it buys what the bridge delivers, since its minimum would mean nothing", () => {
    const same = (tokenOut: Address.Address) => {
      const pull = encodeFunctionData({
        abi: swapRouter02Abi,
        functionName: "exactInputSingle",
        args: [
          {
            tokenIn: OTHER_USDC,
            tokenOut,
            fee: 500,
            recipient: OWNER,
            amountIn: 990n,
            amountOutMinimum: 990n,
            sqrtPriceLimitX96: 0n
          }
        ]
      })
      return encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [5_000n, [pull]] })
    }
    assert.isFalse(Array.isArray(reviewed(calldataOf({ calldata: same(PEPE) }))))
    assert.deepStrictEqual(reviewed(calldataOf({ calldata: same(OTHER_USDC) })), [
      "order.swapCalldata.purchase.tokenOut"
    ])
  })

  it("leaves a doubt after a swap before the bridge that no price bounds", () => {
    const via = { token: USDC, minAmount: 991n, spokePool: STRANGER }
    const doubtsOf = (known: ReviewOptions) => {
      const call = readBridgeCall(calldataOf(), true)
      if (call === undefined) return assert.fail("unreadable")
      const check = collector()
      const quoted = offer({ total: 0n })
      const order = { ...quoted.order, amountIn: 1_000n }
      swapOnArrival({ handlers: { 10: HANDLER }, routers: { 10: ROUTER } })(
        check,
        { ...quoted, order },
        { ...call, via },
        known
      )
      assert.deepStrictEqual(check.found, [])
      return check.doubts
    }
    const prices = [
      { chainId: 8453, token: USDC, decimals: 0, usd: 1 },
      { chainId: 10, token: OTHER_USDC, decimals: 0, usd: 1 }
    ]
    assert.lengthOf(doubtsOf({ bridges, prices }), 0)
    assert.lengthOf(doubtsOf({ bridges, prices: prices.slice(0, 1) }), 1)
    assert.lengthOf(doubtsOf({ bridges }), 1)
  })

  it("is no other message", () => {
    const message = AcrossPurchase.encode(purchase)
    assert.isDefined(readPurchase(message))
    for (const other of ["0x", "0x12", `${message}00`, `${message}${"00".repeat(32)}`] as const) {
      assert.isUndefined(readPurchase(other))
    }
    assert.isUndefined(readPurchase(AcrossPurchase.encode({ ...purchase, calldata: "0x1234" })))
    assert.deepStrictEqual(reviewed(calldataOf({}, { message: "0x1234" })), undefined)
  })
})
