/** A {@link Chains} whose node says what a test wants, for what a real node never says on demand. */
import { Effect, Layer, Stream } from "effect"
import * as Address from "../../src/domain/Address.ts"
import type { Chain } from "../../src/domain/Chain.ts"
import { type ChainClient, Chains, UnsupportedChain } from "../../src/ports/shared/Chains.ts"
import { alone } from "../../src/ports/shared/Corroborating.ts"

/** Twenty bytes of the same value. */
export const address = (byte: number): Address.Address =>
  Address.of(`0x${byte.toString(16).padStart(2, "0").repeat(20)}`)

export const chain: Chain = {
  id: 31337,
  name: "fake",
  nativeSymbol: "ETH",
  feeRecipient: address(0xf1),
  builderVault: address(0xf2),
  wrappedNative: address(0xe1),
  stables: [address(0xd1), address(0xd2)],
  quoter: address(0xc1),
  permit2: address(0xc2),
  multicall3: address(0xc3),
  sanctionsOracle: address(0xc4),
  confirmations: 1,
  blockTimeMillis: 1_000,
  tokens: [
    { chainId: 31337, address: address(0xd1), symbol: "USDC", name: "USD Coin", decimals: 6 },
    { chainId: 31337, address: address(0xd2), symbol: "USDT", name: "Tether USD", decimals: 6 },
    { chainId: 31337, address: address(0xb1), symbol: "LST", name: "Listed", decimals: 18 }
  ],
  contracts: { delegate: address(0xa1), guard: address(0xa2), entry: address(0xa3) }
}

/** A client of {@link chain} that knows the given answers; a question without one is a mistake of the test. */
export const client = (answers: Partial<ChainClient>): ChainClient => {
  const unexpected = Effect.die("the test gave the node no answer to this")
  return {
    chain,
    heads: Stream.never,
    recentHead: () => (answers.block === undefined ? unexpected : answers.block("latest")),
    block: () => unexpected,
    code: () => unexpected,
    balance: () => unexpected,
    transactionCount: () => unexpected,
    transactionOf: () => unexpected,
    accounts: () => unexpected,
    call: () => unexpected,
    estimateGas: () => unexpected,
    isAnswering: Effect.succeed(true),
    elsewhere: Effect.succeed([]),
    ...alone,
    canSimulate: Effect.succeed(true),
    simulate: () => unexpected,
    feesPerGas: unexpected,
    send: () => unexpected,
    receipt: () => unexpected,
    logs: () => unexpected,
    ...answers
  }
}

export const layer = (answers: Partial<ChainClient>): Layer.Layer<Chains> => {
  const only = client(answers)
  return Layer.succeed(Chains, {
    all: [only],
    get: (chainId) =>
      chainId === only.chain.id ? Effect.succeed(only) : Effect.fail(new UnsupportedChain({ chainId }))
  })
}
