/** Asks a chain's sanctions oracle about one address. */
import { Effect, Option } from "effect"
import { encodeFunctionData, parseAbi } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"

const abi = parseAbi(["function isSanctioned(address) view returns (bool)"])

const WORD = /^0x0{63}[01]$/

/** None if the answer is not a boolean. */
export const isSanctioned = ({ call, chain }: ChainClient, address: Address.Address) =>
  call({ to: chain.sanctionsOracle, data: encodeFunctionData({ abi, args: [address] }) }).pipe(
    Effect.map((answer) => (WORD.test(answer) ? Option.some(answer.endsWith("1")) : Option.none())),
    Effect.catchTag("CallReverted", () => Effect.succeedNone)
  )
