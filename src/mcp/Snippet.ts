/**
 * Code for integrators who want no client: a module over viem and fetch that quotes, reviews, signs, submits and follows a
 * sweep, with the review that the client makes. Pure.
 */
import { DOMAIN_VERSION, DEFAULT_DOMAIN_NAME, TYPES } from "../domain/SweepOrder.ts"
import { KNOWN_BRIDGES } from "../sdk/review/KnownBridges.ts"

export interface SnippetOptions {
  readonly orchestratorUrl: string
  readonly builderApiKey: string | undefined
  /** Router of the retained allowance path: no account is ever delegated to it. */
  readonly sweepRouter: string | undefined
  readonly sourceChainId: number
}

/** A value as a literal of the generated code. */
const literal = (value: string | number): string => JSON.stringify(value)

const orderTypes = TYPES.SweepOrder.map(
  ({ name, type }) => `    { name: ${literal(name)}, type: ${literal(type)} }`
).join(",\n")

const orderFields = TYPES.SweepOrder.map(
  ({ name, type }) => `  ${name}: ${type === "uint256" ? "string" : "Hex"}`
).join("\n")

const bridges = Object.entries(KNOWN_BRIDGES)
  .map(([id, { spokePool, tokens, wrappedNative }]) => {
    const named = Object.entries(tokens).map(([name, address]) => `      ${name}: ${literal(address)}`)
    return `\
  ${id}: {
    spokePool: ${literal(spokePool)},
    wrappedNative: ${literal(wrappedNative)},
    tokens: {
${named.join(",\n")}
    }
  }`
  })
  .join(",\n")

const header = ({ builderApiKey, orchestratorUrl, sourceChainId, sweepRouter }: SnippetOptions): string => `\
// Sweeps a token without gas: quote, review, sign, submit, follow. Needs viem, and runs in browsers, Node and Bun.
import { decodeFunctionData, encodeFunctionData, type Hex, parseAbi, type TypedDataDomain } from "viem"

const ORCHESTRATOR_URL = ${literal(orchestratorUrl.replace(/\/+$/, ""))}
/** Where the tokens are. */
const SOURCE_CHAIN_ID = ${sourceChainId}
/** Attributes sweeps to you; undefined for none. */
const BUILDER_API_KEY: string | undefined = ${builderApiKey === undefined ? "undefined" : literal(builderApiKey)}
/** Of the older allowance path, which is not used: an account must never be delegated to it. */
const SWEEP_ROUTER: Hex | undefined = ${sweepRouter === undefined ? "undefined" : literal(sweepRouter)}

interface Bridge {
  /** Across's, which takes deposits. */
  spokePool: Hex
  /** What the bridge delivers as native currency. */
  wrappedNative: Hex
  /** The same name on two chains is one asset, of equal decimals. */
  tokens: Record<string, Hex>
}

/** What you know of the bridge, by chain: a swap before it, and native currency, are refused without. Add to it what you know. */
const BRIDGES: Partial<Record<number, Bridge>> = {
${bridges}
}

const ORDER_TYPES = {
  SweepOrder: [
${orderTypes}
  ]
} as const

/** On the wire every uint256 is a decimal string. */
interface SweepOrder {
${orderFields}
}
`

/** What does not depend on the options. Written without template literals, so that it can be one. */
const BODY = `
interface Quote {
  id: string
  crossChain: boolean
  expiresAtMs: number
  total: string
  settlementAddress: Hex
  sourceChainId: number
  minAmountOut: string
}

interface AuthorizationRequest {
  address: Hex
  chainId: number
  nonce: string
}

export interface Offer {
  quote: Quote
  order: SweepOrder
  signing: { authorization: AuthorizationRequest }
}

export interface SweepRequest {
  tokenIn: Hex
  /** In the smallest unit of tokenIn. */
  amountIn: bigint
  tokenOut: Hex
  /** The owner unless told. */
  destination?: Hex
  destChainId: number
  /** The least to accept, in the smallest unit of tokenOut. */
  minAmountOut?: bigint
  /** Such as "base->optimism": needed where the token is on several chains. */
  route?: string
  userId?: string
}

/** viem's local accounts are signers, and so is any wallet that can sign both. */
export interface Signer {
  address: Hex
  signTypedData: (typedData: {
    domain: TypedDataDomain
    types: typeof ORDER_TYPES
    primaryType: "SweepOrder"
    message: Omit<SweepOrder, UintField> & Record<UintField, bigint>
  }) => Promise<Hex>
  signAuthorization: (authorization: { address: Hex; chainId: number; nonce: number }) => Promise<{
    r: Hex
    s: Hex
    yParity?: number | undefined
  }>
}

type UintField =
  | "amountIn"
  | "feeAmount"
  | "builderFee"
  | "minAmountOut"
  | "deadline"
  | "nonce"
  | "destChainId"

export interface Intent {
  id: string
  status: "quoted" | "submitted" | "settled_source" | "delivered" | "failed"
  txHash?: Hex
  failureReason?: string
}

const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"
const ZERO = "0x0000000000000000000000000000000000000000"

const bridgeAbi = parseAbi([
  "function depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable",
  "struct Fees { uint256 amount; address recipient; }",
  "struct Deposit { address inputToken; bytes32 outputToken; uint256 outputAmount; address depositor; bytes32 recipient; uint256 destinationChainId; bytes32 exclusiveRelayer; uint32 quoteTimestamp; uint32 fillDeadline; uint32 exclusivityParameter; bytes message; }",
  "struct SwapAndDeposit { Fees submissionFees; Deposit depositData; address swapToken; address exchange; uint8 transferType; uint256 swapTokenAmount; uint256 minExpectedInputTokenAmount; bytes routerCalldata; bool enableProportionalAdjustment; address spokePool; uint256 nonce; }",
  "function swapAndBridge(SwapAndDeposit swapAndDepositData) payable"
])

async function call<A>(method: "GET" | "POST", path: string, body?: unknown): Promise<A> {
  const response = await fetch(ORCHESTRATOR_URL + path, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const answer: { error?: unknown } = await response.json()
  // Decide by the status: most reasons are masked on purpose.
  if (!response.ok) throw new Error(method + " " + path + ": " + response.status + " " + String(answer.error))
  return answer as A
}

const sameText = (a: string | number, b: string | number): boolean =>
  String(a).toLowerCase() === String(b).toLowerCase()

function isKnown(a: Hex, known: Hex | undefined): boolean {
  return known !== undefined && sameText(a, known)
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error("do not sign: " + what)
}

export function quote(owner: Hex, request: SweepRequest): Promise<Offer> {
  return call<Offer>("POST", "/quote", {
    owner,
    tokenIn: request.tokenIn,
    amountIn: request.amountIn.toString(),
    tokenOut: request.tokenOut,
    destination: request.destination ?? owner,
    destChainId: request.destChainId,
    tier: "tier1",
    subscriptionActive: false,
    userId: request.userId ?? owner,
    ...(request.route === undefined ? {} : { route: request.route }),
    ...(BUILDER_API_KEY === undefined ? {} : { apiKey: BUILDER_API_KEY })
  })
}

/** An address of the destination chain, as the bridge takes it. */
function addressOf(word: Hex): Hex {
  must(/^0x0{24}/.test(word), word + " is no address")
  return ("0x" + word.slice(26)) as Hex
}

/** What the bridge call does: deposit, or swap and deposit. Throws where it does anything else. */
function readBridgeCall(data: Hex) {
  const made = decodeFunctionData({ abi: bridgeAbi, data })
  must(encodeFunctionData({ abi: bridgeAbi, ...made }) === data.toLowerCase(), "the bridge call holds more than is shown")
  if (made.functionName === "depositV3") {
    const [depositor, recipient, inputToken, outputToken, inputAmount, outputAmount, chainId] = made.args
    must(made.args[11] === "0x", "the bridge would call the recipient")
    return { depositor, recipient, inputToken, outputToken, inputAmount, outputAmount, chainId, via: undefined }
  }
  const { depositData: deposit, submissionFees: fees, ...swap } = made.args[0]
  must(deposit.message === "0x", "the bridge would call the recipient")
  must(fees.amount === 0n && sameText(fees.recipient, ZERO), "the swap has fees of its own")
  must(swap.enableProportionalAdjustment, "what the swap yields beyond its least would be the relayer's")
  must(swap.transferType === 0 && swap.nonce === 0n, "the swap is not made as expected")
  addressOf(deposit.exclusiveRelayer)
  return {
    depositor: deposit.depositor,
    recipient: addressOf(deposit.recipient),
    inputToken: swap.swapToken,
    outputToken: addressOf(deposit.outputToken),
    inputAmount: swap.swapTokenAmount,
    outputAmount: deposit.outputAmount,
    chainId: deposit.destinationChainId,
    /** What is bridged instead of what is sent, at least; and what comes back to the owner if nobody delivers. */
    via: { token: deposit.inputToken, amount: swap.minExpectedInputTokenAmount, spokePool: swap.spokePool }
  }
}

/** The token of the source chain that is the same asset as one of another chain; undefined where that is not known. */
function counterpart(chainId: number, token: Hex): Hex | undefined {
  const [name] = Object.entries(BRIDGES[chainId]?.tokens ?? {}).find(([, address]) => sameText(address, token)) ?? []
  return name === undefined ? undefined : BRIDGES[SOURCE_CHAIN_ID]?.tokens[name]
}

/** Throws unless the order is what was asked for. Show the user what it returns before signing. */
export function review(owner: Hex, request: SweepRequest, offer: Offer) {
  const { order, quote, signing } = offer
  const destination = request.destination ?? owner
  const now = Date.now() / 1000
  const fees = BigInt(order.feeAmount) + BigInt(order.builderFee)
  const least = BigInt(quote.minAmountOut)

  must(sameText(order.owner, owner), "the owner is " + order.owner)
  must(sameText(order.tokenIn, request.tokenIn), "the token sent is " + order.tokenIn)
  must(BigInt(order.amountIn) === request.amountIn, "the amount is " + order.amountIn)
  must(sameText(order.tokenOut, request.tokenOut), "the token received is " + order.tokenOut)
  must(sameText(order.destination, destination), "the destination is " + order.destination)
  must(sameText(order.destChainId, request.destChainId), "the destination chain is " + order.destChainId)
  must(quote.sourceChainId === SOURCE_CHAIN_ID, "it runs on chain " + quote.sourceChainId)
  must(quote.crossChain === (quote.sourceChainId !== request.destChainId), "crossChain is wrong")

  must(BigInt(quote.total) === fees && fees < request.amountIn, "the fees are " + fees)
  must(BUILDER_API_KEY !== undefined || sameText(order.builder, ZERO), "there is a builder, " + order.builder)
  must(!sameText(order.builder, ZERO) || BigInt(order.builderFee) === 0n, "the builder's fee goes to nobody")

  must(least > 0n && least >= (request.minAmountOut ?? 0n), "the least received is " + least)
  must(Number(order.deadline) > now && Number(order.deadline) < now + 3600, "the deadline is " + order.deadline)
  must(quote.expiresAtMs / 1000 > now, "the quote has expired")

  must(!sameText(order.swapTarget, ZERO) && !sameText(order.swapTarget, owner), "it calls " + order.swapTarget)
  must(sameText(signing.authorization.address, quote.settlementAddress), "the delegate is not the quote's")
  must(signing.authorization.chainId === SOURCE_CHAIN_ID, "the authorization is for another chain")
  must(!sameText(quote.settlementAddress, ZERO), "there is no delegate")
  must(SWEEP_ROUTER === undefined || !sameText(quote.settlementAddress, SWEEP_ROUTER), "the delegate is the router")

  let via: ReturnType<typeof readBridgeCall>["via"]
  if (!quote.crossChain) {
    must(BigInt(order.minAmountOut) === least, "the order's minimum is " + order.minAmountOut)
  } else {
    // Across chains the order holds no minimum: the bridge call does, so it is read.
    must(BigInt(order.minAmountOut) === 0n, "the order's minimum is " + order.minAmountOut)
    const made = readBridgeCall(order.swapCalldata)
    const [here, there] = [BRIDGES[SOURCE_CHAIN_ID], BRIDGES[request.destChainId]]
    const sent = sameText(request.tokenIn, NATIVE) ? here?.wrappedNative : request.tokenIn
    const received = sameText(request.tokenOut, NATIVE) ? there?.wrappedNative : request.tokenOut
    must(sameText(made.depositor, owner), "the bridge would refund " + made.depositor)
    must(sameText(made.recipient, destination), "the bridge would pay " + made.recipient)
    must(isKnown(made.inputToken, sent), "the bridge takes " + made.inputToken)
    must(isKnown(made.outputToken, received), "the bridge pays " + made.outputToken)
    must(made.inputAmount === request.amountIn - fees, "the bridge takes " + made.inputAmount)
    must(made.outputAmount === least, "the bridge pays " + made.outputAmount)
    must(made.chainId === BigInt(request.destChainId), "the bridge pays on chain " + made.chainId)
    via = made.via
    if (via !== undefined) {
      // Swapped into another asset, or deposited elsewhere, it could be gone; and nobody pays out more than was paid in.
      must(isKnown(via.token, counterpart(request.destChainId, made.outputToken)), "what is bridged is " + via.token)
      must(isKnown(via.spokePool, here?.spokePool), "the bridge is " + via.spokePool)
      must(via.amount >= least, "no more is bridged than " + via.amount)
    }
  }

  return {
    send: { token: order.tokenIn, amount: request.amountIn, chainId: SOURCE_CHAIN_ID },
    fees: { protocol: BigInt(order.feeAmount), builder: BigInt(order.builderFee) },
    receiveAtLeast: { token: order.tokenOut, amount: least, chainId: request.destChainId, destination },
    /** What comes back to the owner if nobody delivers, where that is not the token that was sent. */
    refundAtLeast: via && { token: via.token, amount: via.amount, chainId: SOURCE_CHAIN_ID },
    quoteExpires: new Date(quote.expiresAtMs),
    orderExpires: new Date(Number(order.deadline) * 1000)
  }
}

/** Both signatures, of what was reviewed: the order (EIP-712), and the authorization to run the delegate (EIP-7702). */
export async function sign(signer: Signer, offer: Offer) {
  const { order, quote, signing } = offer
  const signature = await signer.signTypedData({
    domain: DOMAIN(order.owner),
    types: ORDER_TYPES,
    primaryType: "SweepOrder",
    message: {
      ...order,
      amountIn: BigInt(order.amountIn),
      feeAmount: BigInt(order.feeAmount),
      builderFee: BigInt(order.builderFee),
      minAmountOut: BigInt(order.minAmountOut),
      deadline: BigInt(order.deadline),
      nonce: BigInt(order.nonce),
      destChainId: BigInt(order.destChainId)
    }
  })
  const authorization = {
    address: quote.settlementAddress,
    chainId: SOURCE_CHAIN_ID,
    nonce: Number(signing.authorization.nonce)
  }
  const { r, s, yParity } = await signer.signAuthorization(authorization)
  return { quoteId: quote.id, signature, authorization: { ...authorization, r, s, yParity: yParity ?? 0 } }
}

export function submit(signed: Awaited<ReturnType<typeof sign>>): Promise<Intent> {
  return call<Intent>("POST", "/intents", signed)
}

/** Resolves once the sweep is delivered or has failed. */
export async function follow(id: string): Promise<Intent> {
  for (;;) {
    const intent = await call<Intent>("GET", "/intents/" + id)
    if (intent.status === "delivered" || intent.status === "failed") return intent
    await new Promise((resolve) => setTimeout(resolve, 3000))
  }
}

/** All of it. \`confirm\` is shown the review; nothing is signed unless it says yes. */
export async function sweep(
  signer: Signer,
  request: SweepRequest,
  confirm: (reviewed: ReturnType<typeof review>) => boolean | Promise<boolean>
): Promise<Intent | undefined> {
  const offer = await quote(signer.address, request)
  if (!(await confirm(review(signer.address, request, offer)))) return undefined
  const { id } = await submit(await sign(signer, offer))
  return follow(id)
}
`

const domain = `
/** The verifying contract is the owner's own, delegated account. */
const DOMAIN = (owner: Hex): TypedDataDomain => ({
  name: ${literal(DEFAULT_DOMAIN_NAME)},
  version: ${literal(DOMAIN_VERSION)},
  chainId: SOURCE_CHAIN_ID,
  verifyingContract: owner
})
`

export const snippet = (options: SnippetOptions): string => `${header(options)}${domain}${BODY}`
