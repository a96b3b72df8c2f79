/** Contracts that the service expects on every chain: Multicall3, Permit2 and a sanctions oracle. */
import { Effect } from "effect"
import { concatHex, encodeDeployData, encodeFunctionData, parseAbi } from "viem"
import { DETERMINISTIC_DEPLOYER } from "../adapters/evm/contracts/Deployment.ts"
import * as Address from "../domain/Address.ts"
import type { Hex } from "../domain/Hex.ts"
import { DevChainFailed, type LocalNode } from "./LocalNode.ts"
import { permit2, sanctionsOracle } from "./artifacts.generated.ts"
import type { Artifacts } from "./Artifacts.ts"
import type { Script } from "./Script.ts"

/** They have the same address on every public chain. */
export const MULTICALL3 = Address.of("0xcA11bde05977b3631167028862bE2a173976CA11")
export const PERMIT2 = Address.of("0x000000000022D473030F116dDEE9F6B43aC78BA3")

/** Salt of Permit2's deployment. Code and salt determine its address. */
const PERMIT2_SALT = "0x0000000000000000000000000000000000000000d3af2663da51c10215000000"

export interface Call3Value {
  readonly target: Address.Address
  readonly callData: Hex
  /** Wei. */
  readonly value: bigint
}

const multicall3Abi = parseAbi([
  "struct Call3Value { address target; bool allowFailure; uint256 value; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3Value(Call3Value[] calls) payable returns (Result[] returnData)"
])

/**
 * Puts Multicall3 at its address. On public chains a presigned transaction deployed it. Here its constructor runs in a call,
 * and the node sets the code that the call returns.
 */
export const installMulticall3 = Effect.fnUntraced(function* (chain: LocalNode, artifacts: Artifacts) {
  const { data } = yield* chain.ask("construct Multicall3", (client) => client.call({ data: artifacts.multicall3 }))
  if (data === undefined) {
    return yield* new DevChainFailed({ chainId: chain.chainId, step: "construct Multicall3", detail: "no code" })
  }
  yield* chain.ask("install Multicall3", (client) => client.setCode({ address: MULTICALL3, bytecode: data }))
})

/** Combines many calls into one step. Multicall3 is their sender. */
export const callAll = (script: Script, label: string, calls: ReadonlyArray<Call3Value>): void =>
  script.call(
    label,
    MULTICALL3,
    encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3Value",
      args: [calls.map((call) => ({ ...call, allowFailure: false }))]
    }),
    calls.reduce((sum, call) => sum + call.value, 0n)
  )

/** Deploys the original code with the original salt by the same factory, which gives the original address. */
export const deployPermit2 = (script: Script): void =>
  script.call("deploy Permit2", DETERMINISTIC_DEPLOYER, concatHex([PERMIT2_SALT, permit2.creationCode]))

/** Deploys a sanctions oracle that lists the given addresses. The sender owns it. */
export const deploySanctionsOracle = (script: Script, listed: ReadonlyArray<Address.Address>): Address.Address => {
  const { abi, creationCode } = sanctionsOracle
  const oracle = script.deploy(
    "SanctionsOracle",
    encodeDeployData({ abi, bytecode: creationCode, args: [script.sender] })
  )
  script.call(
    "list the sanctioned",
    oracle,
    encodeFunctionData({ abi, functionName: "addToSanctionsList", args: [listed] })
  )
  return oracle
}
