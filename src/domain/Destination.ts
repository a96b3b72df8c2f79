/** Destinations at which money would be lost: contracts that accept a token and never give it back. */
import type * as Address from "./Address.ts"
import { type Chain, spokePools } from "./Chain.ts"
import * as Generations from "./Generations.ts"
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
