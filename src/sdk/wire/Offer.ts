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
import { given } from "./Given.ts"
import {
  address,
  boolean,
  bytes,
  integerOrDecimal,
  list,
  object,
  type Read,
  safeInteger,
  struct,
  text,
  uint256
} from "./Reader.ts"

export const readOrder: Read<SweepOrder> = struct({
  owner: address,
  tokenIn: address,
  amountIn: uint256,
  feeAmount: uint256,
  builder: address,
  builderFee: uint256,
  tokenOut: address,
  minAmountOut: uint256,
  destination: address,
  swapTarget: address,
  swapCalldata: bytes,
  deadline: uint256,
  nonce: uint256,
  destChainId: uint256
})

export const readQuote: Read<Quote> = struct(
  {
    id: text,
    crossChain: boolean,
    expiresAtMs: safeInteger,
    total: uint256,
    settlementAddress: address,
    sourceChainId: safeInteger,
    estimatedAmountOut: uint256,
    minAmountOut: uint256,
    provider: text,
    estimatedSeconds: safeInteger
  },
  { builderId: text }
)

const readTypeMember: Read<TypeMember> = struct({ name: text, type: text })

export const readTypes: Read<ServedTypedData["types"]> = (value, path) =>
  Object.fromEntries(
    Object.entries(object(value, path)).map(([name, each]) => [name, list(readTypeMember)(each, `${path}.${name}`)])
  )

const readTypedData: Read<ServedTypedData> = struct({
  domain: struct({ name: text, version: text, chainId: safeInteger, verifyingContract: address }),
  types: readTypes,
  primaryType: text,
  message: readOrder
})

/** The service writes the nonce as a decimal string; wallets take a number. */
export const readAuthorization: Read<AuthorizationRequest> = struct({
  address,
  chainId: safeInteger,
  nonce: integerOrDecimal
})

const readAnswer: Read<Offer> = struct({
  quote: readQuote,
  order: readOrder,
  signing: struct({ typedData: readTypedData, authorization: readAuthorization })
})

/**
 * Reads the response of `POST /quote`. Use it for an offer that did not come through the client, such as from an MCP tool.
 *
 * @throws {MalformedAnswerError} with the place of the first value that is not of the contract's type
 * @example
 * const { structuredContent } = await mcp.callTool({ name: "get_quote", arguments: quoteArguments })
 * const review = reviewOrder(readOffer(structuredContent), request, { delegates: { 8453: delegate } })
 */
export const readOffer = (body: unknown): Offer => readAnswer(body, "")

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
  ...given("route", request.route),
  ...given("sourceChainId", request.sourceChainId),
  ...given("apiKey", request.apiKey),
  ...given("slippageBps", request.slippageBps),
  ...given("maxNetworkFee", request.maxNetworkFee?.toString())
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
