/** Balances of an owner in many tokens by Multicall3. */
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi, multicall3Abi } from "viem"
import { isNative } from "../../../domain/Token.ts"
import type { SweepContracts } from "../../../ports/orchestrator/SweepContracts.ts"
import * as Multicall3 from "../codec/Multicall3.ts"

export const read: SweepContracts["Service"]["balancesOf"] = (client, tokens, owner) => {
  const { multicall3 } = client.chain
  const balanceOf = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [owner] })
  const getEthBalance = encodeFunctionData({ abi: multicall3Abi, functionName: "getEthBalance", args: [owner] })
  return Effect.map(
    Multicall3.read(
      client,
      tokens.map((token) =>
        isNative(token) ? { to: multicall3, data: getEthBalance } : { to: token, data: balanceOf }
      )
    ),
    (answers) => answers.map(Multicall3.word)
  )
}
