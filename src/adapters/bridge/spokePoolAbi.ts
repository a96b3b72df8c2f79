/** The used functions and events of Across's SpokePool. Addresses in events are left-padded to 32 bytes. */
import { parseAbi } from "viem"

export const spokePoolAbi = parseAbi([
  "function depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable",
  "function depositQuoteTimeBuffer() view returns (uint32)",
  "function fillDeadlineBuffer() view returns (uint32)",
  "function pausedDeposits() view returns (bool)",
  "function pausedFills() view returns (bool)",
  "function wrappedNativeToken() view returns (address)",
  "function getCurrentTime() view returns (uint256)",
  "function fillStatuses(bytes32 relayHash) view returns (uint256)",
  "event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)",
  "struct RelayExecutionInfo { bytes32 updatedRecipient; bytes32 updatedMessageHash; uint256 updatedOutputAmount; uint8 fillType; }",
  "event FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, RelayExecutionInfo relayExecutionInfo)",
  "event ExecutedRelayerRefundRoot(uint256 amountToReturn, uint256 indexed chainId, uint256[] refundAmounts, uint32 indexed rootBundleId, uint32 indexed leafId, address l2TokenAddress, address[] refundAddresses, bool deferredRefunds, address caller)",
  "event ClaimedRelayerRefund(bytes32 indexed l2TokenAddress, bytes32 indexed refundAddress, uint256 amount, address indexed caller)"
])

/** `SpokePool.V3RelayData`: the fields of a deposit that a fill repeats. Their hash is the key of the fill in the pool. */
export const relayDataAbi = {
  type: "tuple",
  components: [
    { name: "depositor", type: "bytes32" },
    { name: "recipient", type: "bytes32" },
    { name: "exclusiveRelayer", type: "bytes32" },
    { name: "inputToken", type: "bytes32" },
    { name: "outputToken", type: "bytes32" },
    { name: "inputAmount", type: "uint256" },
    { name: "outputAmount", type: "uint256" },
    { name: "originChainId", type: "uint256" },
    { name: "depositId", type: "uint256" },
    { name: "fillDeadline", type: "uint32" },
    { name: "exclusivityDeadline", type: "uint32" },
    { name: "message", type: "bytes" }
  ]
} as const
