/** JSON of `POST /quote` and of the body of `POST /intents`. */
import type {
  Authorization,
  AuthorizationRequest,
  Offer,
  Quote,
  ServedTypedData,
  SignedSweep,
  SweepOrder,
  SweepRequest,
  TypeMember
} from "../model/Sweep.ts"
import {
  address,
  boolean,
  bytes,
  integerOrDecimal,
  list,
  members,
  object,
  type Read,
  safeInteger,
  text,
  uint256
} from "./Reader.ts"

export const readOrder: Read<SweepOrder> = (value, path) => {
  const { get } = members(value, path)
  return {
    owner: get("owner", address),
    tokenIn: get("tokenIn", address),
    amountIn: get("amountIn", uint256),
    feeAmount: get("feeAmount", uint256),
    builder: get("builder", address),
    builderFee: get("builderFee", uint256),
    tokenOut: get("tokenOut", address),
    minAmountOut: get("minAmountOut", uint256),
    destination: get("destination", address),
    swapTarget: get("swapTarget", address),
    swapCalldata: get("swapCalldata", bytes),
    deadline: get("deadline", uint256),
    nonce: get("nonce", uint256),
    destChainId: get("destChainId", uint256)
  }
}

export const readQuote: Read<Quote> = (value, path) => {
  const { get, optional } = members(value, path)
  return {
    id: get("id", text),
    crossChain: get("crossChain", boolean),
    expiresAtMs: get("expiresAtMs", safeInteger),
    total: get("total", uint256),
    ...optional("builderId", text),
    settlementAddress: get("settlementAddress", address),
    sourceChainId: get("sourceChainId", safeInteger),
    estimatedAmountOut: get("estimatedAmountOut", uint256),
    minAmountOut: get("minAmountOut", uint256),
    provider: get("provider", text),
    estimatedSeconds: get("estimatedSeconds", safeInteger)
  }
}

const readTypeMember: Read<TypeMember> = (value, path) => {
  const { get } = members(value, path)
  return { name: get("name", text), type: get("type", text) }
}

const readDomain: Read<ServedTypedData["domain"]> = (value, path) => {
  const { get } = members(value, path)
  return {
    name: get("name", text),
    version: get("version", text),
    chainId: get("chainId", safeInteger),
    verifyingContract: get("verifyingContract", address)
  }
}

export const readTypes: Read<ServedTypedData["types"]> = (value, path) =>
  Object.fromEntries(
    Object.entries(object(value, path)).map(([name, each]) => [name, list(readTypeMember)(each, `${path}.${name}`)])
  )

const readTypedData: Read<ServedTypedData> = (value, path) => {
  const { get } = members(value, path)
  return {
    domain: get("domain", readDomain),
    types: get("types", readTypes),
    primaryType: get("primaryType", text),
    message: get("message", readOrder)
  }
}

export const readAuthorization: Read<AuthorizationRequest> = (value, path) => {
  const { get } = members(value, path)
  return {
    address: get("address", address),
    chainId: get("chainId", safeInteger),
    // The service writes it as a decimal string; wallets take a number.
    nonce: get("nonce", integerOrDecimal)
  }
}

/**
 * Reads the response of `POST /quote`. Use it for an offer that did not come through the client, such as from an MCP tool.
 *
 * @throws {MalformedAnswerError} with the place of the first value that is not of the contract's type
 * @example
 * const { structuredContent } = await mcp.callTool({ name: "get_quote", arguments: quoteArguments })
 * const review = reviewOrder(readOffer(structuredContent), request, { delegates: { 8453: delegate } })
 */
export const readOffer = (body: unknown): Offer => {
  const { get } = members(body, "")
  return {
    quote: get("quote", readQuote),
    order: get("order", readOrder),
    signing: get("signing", (value, path) => {
      const { get } = members(value, path)
      return { typedData: get("typedData", readTypedData), authorization: get("authorization", readAuthorization) }
    })
  }
}

/** Writes the body of `POST /quote`, with the defaults of {@link SweepRequest}. */
export const writeRequest = (request: SweepRequest) => ({
  owner: request.owner,
  tokenIn: request.tokenIn,
  amountIn: request.amountIn.toString(),
  tokenOut: request.tokenOut,
  destination: request.destination ?? request.owner,
  destChainId: request.destChainId,
  tier: request.tier ?? "tier1",
  subscriptionActive: request.subscriptionActive ?? false,
  userId: request.userId ?? request.owner,
  ...(request.route === undefined ? {} : { route: request.route }),
  ...(request.apiKey === undefined ? {} : { apiKey: request.apiKey })
})

/** Writes a signed authorization. */
export const writeAuthorization = ({ address, chainId, nonce, r, s, yParity }: Authorization) => ({
  address,
  chainId,
  nonce: nonce.toString(),
  r,
  s,
  yParity
})

/** Writes the body of `POST /intents`. */
export const writeSigned = ({ authorization, quoteId, signature }: SignedSweep) => ({
  quoteId,
  signature,
  authorization: writeAuthorization(authorization)
})
