/** Answers of Relay in the recorded shape, for a request. */
import { encodeFunctionData, erc20Abi, numberToHex } from "viem"
import type { Address } from "../../../src/domain/Address.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { depositoryAbi } from "../../../src/adapters/bridge/RelayDeposit.ts"
import type { RelayRequest } from "../../../src/adapters/bridge/RelayQuote.ts"
import { address } from "../../support/FakeChain.ts"

export const DEPOSITORY = address(0x4c)
export const REQUEST_ID: Hash = numberToHex(0xabcn, { size: 32 })
export const ORDER_ID: Hash = numberToHex(0xdefn, { size: 32 })

export const request: RelayRequest = {
  sourceChainId: 31337,
  destChainId: 31338,
  tokenIn: address(0x11),
  tokenOut: address(0x22),
  amountIn: 1_000_000n,
  depositor: address(0x33),
  recipient: address(0x44),
  slippageBps: 50
}

export const depositCall = (depositor: Address, token: Address, amount: bigint, id: Hash = ORDER_ID) =>
  encodeFunctionData({ abi: depositoryAbi, functionName: "depositErc20", args: [depositor, token, amount, id] })

export const approval = (spender: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] })

/** The honest answer of the service: an approval, and the deposit. */
export const answerTo = (asked: RelayRequest, target: Address = DEPOSITORY) => {
  const transaction = { from: asked.depositor, value: "0", chainId: asked.sourceChainId }
  const check = { endpoint: `/intents/status?requestId=${REQUEST_ID}`, method: "GET" }
  return {
    steps: [
      {
        id: "approve",
        kind: "transaction",
        requestId: REQUEST_ID,
        items: [
          { status: "incomplete", data: { ...transaction, to: asked.tokenIn, data: approval(target, asked.amountIn) } }
        ]
      },
      {
        id: "deposit",
        kind: "transaction",
        requestId: REQUEST_ID,
        items: [
          {
            status: "incomplete",
            check,
            data: { ...transaction, to: target, data: depositCall(asked.depositor, asked.tokenIn, asked.amountIn) }
          }
        ]
      }
    ],
    fees: { gas: { amount: "1" }, relayer: { amount: "2" } },
    details: {
      operation: "bridge",
      sender: asked.depositor,
      recipient: asked.recipient,
      currencyIn: {
        currency: { chainId: asked.sourceChainId, address: asked.tokenIn, symbol: "USDC", decimals: 6 },
        amount: asked.amountIn.toString()
      },
      currencyOut: {
        currency: { chainId: asked.destChainId, address: asked.tokenOut, symbol: "USDC", decimals: 6 },
        amount: "998000",
        minimumAmount: "993010"
      },
      timeEstimate: 3
    }
  }
}

export type Answered = ReturnType<typeof answerTo>
