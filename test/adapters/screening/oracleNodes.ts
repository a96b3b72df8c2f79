/** Nodes whose sanctions oracle answers each address by itself. */
import { Effect, Layer } from "effect"
import { decodeFunctionData, encodeFunctionResult, multicall3Abi } from "viem"
import type * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { type ChainClient, Chains } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"

/** A node with these words. The oracle reverts for any other address. */
export const knowing = (words: ReadonlyMap<Address.Address, Hex>) =>
  FakeChain.client({
    call: ({ data }) =>
      Effect.sync(() => {
        const { args } = decodeFunctionData({ abi: multicall3Abi, data })
        const calls = (args?.[0] ?? []) as ReadonlyArray<{ readonly callData: string }>
        const wordOf = (callData: string) =>
          [...words].find(([account]) => callData.endsWith(account.slice(2).toLowerCase()))?.[1]
        return encodeFunctionResult({
          abi: multicall3Abi,
          functionName: "aggregate3",
          result: calls.map(({ callData }) => {
            const returnData = wordOf(callData)
            return { success: returnData !== undefined, returnData: returnData ?? "0x" }
          })
        })
      })
  })

export const serving = (client: ChainClient) =>
  Layer.succeed(Chains, { all: [client], get: () => Effect.succeed(client) })
