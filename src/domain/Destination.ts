/** Destinations at which money would be lost: contracts that never give a token back, and accounts whose fee hides a missing output. */
import type * as Address from "./Address.ts"
import { type Chain, erc20, spokePools } from "./Chain.ts"
import * as Generations from "./Generations.ts"
import type { SweepOrder } from "./SweepOrder.ts"
import { NATIVE } from "./Token.ts"

/** Last address that is reserved for precompiled contracts on a rollup. On Ethereum they end at 0x11 and 0x100 (EIP-7951). */
const LAST_PRECOMPILE = 0xffffn

/**
 * True if a sweep of the tokens to this destination on the chain would burn the output: the zero address, a precompiled contract, a
 * token, or a contract of the service or of those that it calls.
 */
export const burns = (chain: Chain, destination: Address.Address, tokens: ReadonlyArray<Address.Address>): boolean => {
  if (BigInt(destination) <= LAST_PRECOMPILE) return true
  const { multicall3, multicallHandler, permit2, quoter, sanctionsOracle, spokePoolPeriphery, swapRouter } = chain
  return [
    NATIVE,
    ...tokens,
    chain.wrappedNative,
    ...chain.stables,
    ...chain.tokens.map(({ address }) => address),
    ...Generations.all(chain).flatMap(({ delegate, entry, guard }) => [delegate, entry, guard]),
    multicall3,
    multicallHandler,
    permit2,
    quoter,
    sanctionsOracle,
    ...spokePools(chain),
    spokePoolPeriphery,
    swapRouter,
    ...(chain.targets ?? []).map(({ address }) => address)
  ].includes(destination)
}

/**
 * True if the delegate would count a fee as output, so that the router could keep as much of it. The delegate measures the destination's
 * balance before it pays the fees, and pays those of native currency in its wrapped form. `payees`: recipients of the order's fees.
 */
export const countsFees = (
  chain: Chain,
  {
    destChainId,
    destination,
    tokenIn,
    tokenOut
  }: Pick<SweepOrder, "destination" | "tokenIn" | "tokenOut"> & {
    readonly destChainId: bigint | number
  },
  payees: ReadonlyArray<Address.Address>
): boolean =>
  BigInt(destChainId) === BigInt(chain.id) && tokenOut === erc20(chain, tokenIn) && payees.includes(destination)
