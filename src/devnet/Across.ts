/** Deploys Across: Ethereum's SpokePool behind its proxy, the periphery that swaps before a deposit, the handler that swaps on arrival. */
import { encodeDeployData, encodeFunctionData, parseAbi } from "viem"
import * as Address from "../domain/Address.ts"
import type { Artifacts } from "./Artifacts.ts"
import { MULTICALL3, PERMIT2 } from "./Essentials.ts"
import type { Script } from "./Script.ts"
import type { Tokens } from "./Tokens.ts"

/** Values of the pools on public chains, in seconds: maximum age of a quote, and maximum distance of a fill deadline. */
export const QUOTE_TIME_BUFFER = 3_600
export const FILL_DEADLINE_BUFFER = 21_600

export const spokePoolAbi = parseAbi([
  "constructor(address wrappedNativeToken, uint32 depositQuoteTimeBuffer, uint32 fillDeadlineBuffer, address gateway)",
  "function initialize(uint32 initialDepositId, address withdrawalRecipient)",
  "function depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable",
  "struct RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }",
  "function fillRelay(RelayData relayData, uint256 repaymentChainId, bytes32 repaymentAddress)",
  "function fillStatuses(bytes32 relayHash) view returns (uint256)",
  "event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)"
])

const peripheryAbi = parseAbi(["constructor(address permit2, address multicall3)"])

const proxyAbi = parseAbi(["constructor(address implementation, bytes data)"])

/** Deploys the pool and returns the proxy, which the sender owns. Deposits no longer need enabled routes. */
export const deploySpokePool = (script: Script, artifacts: Artifacts, tokens: Tokens): Address.Address => {
  const implementation = script.deploy(
    "SpokePool implementation",
    encodeDeployData({
      abi: spokePoolAbi,
      bytecode: artifacts.spokePool,
      // The zero gateway turns off version 5 deposits, which the service does not make.
      args: [tokens.WETH, QUOTE_TIME_BUFFER, FILL_DEADLINE_BUFFER, Address.zero]
    })
  )
  return script.deploy(
    "SpokePool",
    encodeDeployData({
      abi: proxyAbi,
      bytecode: artifacts.erc1967Proxy,
      args: [
        implementation,
        encodeFunctionData({ abi: spokePoolAbi, functionName: "initialize", args: [0, script.sender] })
      ]
    })
  )
}

/** Deploys the handler, which carries out the messages of deposits. */
export const deployMulticallHandler = (script: Script, artifacts: Artifacts): Address.Address =>
  script.deploy("MulticallHandler", artifacts.multicallHandler)

/** Deploys the periphery, which serves any pool. Permit2 must be deployed first. */
export const deployPeriphery = (script: Script, artifacts: Artifacts): Address.Address =>
  script.deploy(
    "SpokePoolPeriphery",
    encodeDeployData({ abi: peripheryAbi, bytecode: artifacts.spokePoolPeriphery, args: [PERMIT2, MULTICALL3] })
  )
