/** A swap before the deposit, for a token that the bridge does not carry. The SpokePoolPeriphery makes both in one call. */
import { Effect, Option } from "effect"
import { encodeFunctionData, numberToHex } from "viem"
import * as Address from "../../domain/Address.ts"
import type { BridgeRequest } from "../../ports/orchestrator/Bridge.ts"
import { RoutingUnavailable, type SwapRoute, type SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as AcrossCall from "./AcrossCall.ts"
import type { AcrossDeposit } from "./AcrossDeposit.ts"
import { noRoute, PROVIDER } from "./SpokePools.ts"
import { spokePoolPeripheryAbi } from "./spokePoolPeripheryAbi.ts"

/** Gas of the periphery and its proxy for moving and approving tokens. Measured: 77,000 to 92,000 for ordinary tokens. */
const PERIPHERY_GAS = 100_000n

/** The proxy's balances of both tokens and its allowance, and the periphery's balance and allowance. */
const PERIPHERY_PASSING = 5

const isAddress = (word: bigint) => word > 0n && word >> 160n === 0n

const SWAP_PROXY = encodeFunctionData({ abi: spokePoolPeripheryAbi, functionName: "swapProxy" })

/** The proxy of the periphery, which makes the swap and receives its output. */
const proxyOf = Effect.fnUntraced(function* (source: ChainClient, periphery: Address.Address) {
  const [answer = Option.none()] = yield* Multicall3.read(source, [{ to: periphery, data: SWAP_PROXY }])
  return yield* Effect.fromOption(Option.filter(Multicall3.word(answer), isAddress)).pipe(
    Effect.mapBoth({
      onSuccess: (word) => Address.of(numberToHex(word, { size: 20 })),
      onFailure: () =>
        new RoutingUnavailable({
          provider: PROVIDER,
          detail: `no SpokePoolPeriphery at ${periphery} on ${source.chain.name}`
        })
    })
  )
})

/** A swap into the token that is deposited. */
export interface Swap extends SwapRoute {
  readonly periphery: Address.Address
}

/** Reads the market of the request's token and `tokenOut`. The returned function makes the swap of an amount into the latter, which is then deposited. */
export const prepare = Effect.fnUntraced(function* (
  venue: SwapVenue["Service"],
  source: ChainClient,
  { amountIn: largest, deadline, slippageBps, tokenIn }: BridgeRequest,
  tokenOut: Address.Address
) {
  const { id, name, spokePoolPeriphery: periphery } = source.chain
  if (periphery === undefined) {
    return yield* noRoute(`${tokenIn} cannot be bridged, and no SpokePoolPeriphery to swap it is configured on ${name}`)
  }
  const [proxy, swapOf] = yield* Effect.all(
    [proxyOf(source, periphery), venue.prepare({ chainId: id, tokenIn, tokenOut, amountIn: largest })],
    { concurrency: 2 }
  )
  return (amountIn: bigint) =>
    Effect.map(swapOf({ amountIn, sender: proxy, recipient: proxy, slippageBps, deadline }), (swap): Swap => ({
      ...swap,
      periphery
    }))
})

/** The members of a deposit's route that a swap before it replaces. */
export const before = (
  pool: Address.Address,
  deposit: AcrossDeposit,
  depositGas: bigint,
  { amountIn, tokenIn }: Pick<BridgeRequest, "amountIn" | "tokenIn">,
  swap: Swap
) => ({
  provider: `${swap.provider}+${PROVIDER}`,
  target: swap.periphery,
  calldata: AcrossCall.encodeSwap(pool, deposit, {
    tokenIn,
    amountIn,
    exchange: swap.target,
    calldata: swap.calldata
  }),
  amountOut: AcrossCall.outputAmount(deposit, swap.amountOut),
  gas: swap.gas + PERIPHERY_GAS + depositGas,
  passing: swap.passing + PERIPHERY_PASSING
})
