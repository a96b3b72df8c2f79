/** Swaps that a node carries out without keeping them (`eth_simulateV1`), so that taxes, traps and gas are those of the chain. */
import { decodeAbiParameters, encodeFunctionData, erc20Abi, numberToHex, parseAbi, toHex } from "viem"
import { MULTICALL3 } from "../../src/devnet/Essentials.ts"
import type { LocalNodeClient } from "../../src/devnet/LocalNode.ts"
import type * as Address from "../../src/domain/Address.ts"
import type { Hex } from "../../src/domain/Hex.ts"
import { isNative } from "../../src/domain/Token.ts"

export interface SwapCall {
  readonly to: Address.Address
  readonly data: Hex
  readonly tokenIn: Address.Address
  readonly amountIn: bigint
}

export interface Swapped {
  /** Amount that arrived at the recipient. */
  readonly amountOut: bigint
  /** Amount that left the sender. */
  readonly spent: bigint
  /** Gas of the swaps, without that of the transactions and approvals. */
  readonly gas: bigint
}

interface Outcome {
  readonly status: Hex
  readonly returnData: Hex
  readonly gasUsed: Hex
}

const ethBalanceAbi = parseAbi(["function getEthBalance(address) view returns (uint256)"])

const GAS = 10_000_000
const INTRINSIC_GAS = 21_000n

const balance = (token: Address.Address, account: Address.Address) =>
  isNative(token)
    ? {
        to: MULTICALL3,
        data: encodeFunctionData({ abi: ethBalanceAbi, functionName: "getEthBalance", args: [account] })
      }
    : { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [account] }) }

const amountOf = ({ returnData, status }: Outcome): bigint =>
  BigInt(status) === 1n && returnData.length >= 66 ? decodeAbiParameters([{ type: "uint256" }], returnData)[0] : 0n

/** Makes the swaps one after another, each after its approval. Undefined if one of them reverts. */
export const run = async (
  client: LocalNodeClient,
  sender: Address.Address,
  swaps: ReadonlyArray<SwapCall>,
  tokenOut: Address.Address,
  recipient: Address.Address
): Promise<Swapped | undefined> => {
  const [first] = swaps
  if (first === undefined) return undefined
  const approved = swaps.flatMap(({ amountIn, data, to, tokenIn }) => [
    { to: tokenIn, data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [to, amountIn] }) },
    { to, data }
  ])
  const reads = [balance(first.tokenIn, sender), balance(tokenOut, recipient)]
  const calls = [...reads, ...approved, ...reads].map((call) => ({ from: sender, gas: toHex(GAS), ...call }))
  const [block] = await client.request<{
    Method: "eth_simulateV1"
    Parameters: unknown
    ReturnType: ReadonlyArray<{ readonly calls: ReadonlyArray<Outcome> }>
  }>({
    method: "eth_simulateV1",
    params: [{ blockStateCalls: [{ blockOverrides: { gasLimit: numberToHex(GAS * calls.length) }, calls }] }, "latest"]
  })
  const outcomes = block?.calls ?? []
  const made = outcomes.slice(reads.length, -reads.length)
  if (made.length !== approved.length || made.some(({ status }) => BigInt(status) !== 1n)) return undefined
  const at = (index: number): bigint => {
    const outcome = outcomes.at(index)
    return outcome === undefined ? 0n : amountOf(outcome)
  }
  return {
    amountOut: at(-1) - at(1),
    spent: at(0) - at(-2),
    gas: made
      .filter((_, index) => index % 2 === 1)
      .reduce((sum, { gasUsed }) => sum + BigInt(gasUsed) - INTRINSIC_GAS, 0n)
  }
}
