/** Decoder of bridge calls in the generated module. It accepts the same calls as the client's `readBridgeCall`. */
export const BRIDGE_CALL = `\
const bridgeAbi = parseAbi([
  "function depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable",
  "struct Fees { uint256 amount; address recipient; }",
  "struct Deposit { address inputToken; bytes32 outputToken; uint256 outputAmount; address depositor; bytes32 recipient; uint256 destinationChainId; bytes32 exclusiveRelayer; uint32 quoteTimestamp; uint32 fillDeadline; uint32 exclusivityParameter; bytes message; }",
  "struct SwapAndDeposit { Fees submissionFees; Deposit depositData; address swapToken; address exchange; uint8 transferType; uint256 swapTokenAmount; uint256 minExpectedInputTokenAmount; bytes routerCalldata; bool enableProportionalAdjustment; address spokePool; uint256 nonce; }",
  "function swapAndBridge(SwapAndDeposit swapAndDepositData) payable"
])

const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"
const ZERO = "0x0000000000000000000000000000000000000000"

const sameText = (a: string | number, b: string | number): boolean =>
  String(a).toLowerCase() === String(b).toLowerCase()

function isKnown(a: Hex, known: Hex | undefined): boolean {
  return known !== undefined && sameText(a, known)
}

function must(holds: boolean, problem: string): void {
  if (!holds) throw new Error("do not sign: " + problem)
}

/** Reads an address of the destination chain, which the bridge takes as 32 bytes. */
function addressOf(word: Hex): Hex {
  must(/^0x0{24}/.test(word), word + " is not an address")
  return ("0x" + word.slice(26)) as Hex
}

/** A relayer alone may fill for two minutes. A large number is a point in time. The refund comes after the deadline, 7 hours at most. */
function reviewTimes(relayer: Hex, exclusivity: number, fillDeadline: number): void {
  const now = Date.now() / 1000
  must(sameText(relayer, ZERO) ? exclusivity === 0 : exclusivity <= 120, "one relayer alone may fill for " + exclusivity + " s")
  must(fillDeadline > now && fillDeadline <= now + 25200, "the bridge's deadline is " + fillDeadline)
}

/** Decodes a deposit into the bridge, or a swap and deposit. Throws for any other call. */
function readBridgeCall(data: Hex) {
  const made = decodeFunctionData({ abi: bridgeAbi, data })
  must(encodeFunctionData({ abi: bridgeAbi, ...made }) === data.toLowerCase(), "the bridge call has surplus bytes")
  if (made.functionName === "depositV3") {
    const [depositor, recipient, inputToken, outputToken, inputAmount, outputAmount, chainId, relayer, , fillDeadline, exclusivity, message] = made.args
    reviewTimes(relayer, exclusivity, fillDeadline)
    return { depositor, recipient, inputToken, outputToken, inputAmount, outputAmount, chainId, fillDeadline, message, via: undefined }
  }
  const { depositData: deposit, submissionFees: fees, ...swap } = made.args[0]
  must(fees.amount === 0n && sameText(fees.recipient, ZERO), "the swap has fees of its own")
  must(swap.enableProportionalAdjustment, "the relayer would keep the surplus of the swap")
  must(swap.transferType === 0 && swap.nonce === 0n, "the swap has an unexpected transfer type or nonce")
  reviewTimes(addressOf(deposit.exclusiveRelayer), deposit.exclusivityParameter, deposit.fillDeadline)
  return {
    depositor: deposit.depositor,
    recipient: addressOf(deposit.recipient),
    inputToken: swap.swapToken,
    outputToken: addressOf(deposit.outputToken),
    inputAmount: swap.swapTokenAmount,
    outputAmount: deposit.outputAmount,
    chainId: deposit.destinationChainId,
    fillDeadline: deposit.fillDeadline,
    message: deposit.message,
    /** Token and least amount that are deposited after the swap, and refunded if nobody delivers. */
    via: { token: deposit.inputToken, amount: swap.minExpectedInputTokenAmount, spokePool: swap.spokePool }
  }
}

/** Returns the token of the source chain that is the same asset as a token of another chain, if one is known, and the decimals of both. */
function counterpart(chainId: number, token: Hex, sourceChainId: number) {
  const [name, there] = Object.entries(BRIDGES[chainId]?.tokens ?? {}).find(([, { address }]) => sameText(address, token)) ?? []
  const here = name === undefined ? undefined : BRIDGES[sourceChainId]?.tokens[name]
  return { address: here?.address, here: here?.decimals ?? 0, there: there?.decimals ?? 0 }
}
`
