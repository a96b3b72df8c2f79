/** Offers of a token that the bridge does not carry, which is bought on arrival. */
import { encodeFunctionData, type Hex } from "viem"
import * as AcrossPurchase from "../../src/adapters/bridge/AcrossPurchase.ts"
import * as Address from "../../src/domain/Address.ts"
import { KNOWN_HANDLERS } from "../../src/sdk/arrivals.ts"
import type { SweepRequest } from "../../src/sdk/index.ts"
import { crossRequest, deposit, NOW_MS, OTHER, owner, routerAbi, wireOffer } from "./Offers.ts"

export const HANDLER = Address.of(KNOWN_HANDLERS[10] ?? OTHER)
export const ROUTER = Address.of("0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45")
export const WANTED = Address.of("0x4200000000000000000000000000000000000042")
export const USDC = Address.of(crossRequest.tokenOut)
export const RECIPIENT = Address.of(crossRequest.destination ?? owner.address)
export const FILL_DEADLINE = NOW_MS / 1000 + 7_200
export const BRIDGED = 24_800_000n
export const LEAST = 990n

export const asked = { ...crossRequest, tokenOut: WANTED }

export const bought = (
  other: Partial<Record<"tokenIn" | "tokenOut" | "recipient", Hex>> & { readonly amountIn?: bigint } = {}
) =>
  encodeFunctionData({
    abi: routerAbi,
    functionName: "exactInputSingle",
    args: [
      {
        tokenIn: USDC,
        tokenOut: WANTED,
        fee: 500,
        recipient: RECIPIENT,
        amountIn: BRIDGED,
        amountOutMinimum: LEAST,
        sqrtPriceLimitX96: 0n,
        ...other
      }
    ]
  })

export const under = (deadline: number, ...calls: ReadonlyArray<Hex>) =>
  encodeFunctionData({ abi: routerAbi, functionName: "multicall", args: [BigInt(deadline), calls] })

export const messageOf = (other: Partial<AcrossPurchase.Purchase> = {}): Hex =>
  AcrossPurchase.encode({
    sold: USDC,
    amount: BRIDGED,
    router: ROUTER,
    calldata: under(FILL_DEADLINE, bought()),
    fallbackRecipient: RECIPIENT,
    ...other
  })

export const across = (other: Parameters<typeof deposit>[0] = {}) =>
  deposit({ inputAmount: 24_875_000n, recipient: HANDLER, message: messageOf(), ...other })

export const offerOf = (request: SweepRequest, swapCalldata: Hex, instead: bigint | undefined, swapTarget?: Hex) =>
  wireOffer(request, {
    order: { swapCalldata, ...(swapTarget === undefined ? {} : { swapTarget }) },
    quote: {
      minAmountOut: String(LEAST),
      estimatedAmountOut: "995",
      ...(instead === undefined ? {} : { arrivesInsteadIfSwapFails: { token: USDC, minAmount: String(instead) } })
    }
  })
