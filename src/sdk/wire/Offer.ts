/** JSON of `POST /quote` and of the body of `POST /intents`. */
import type { Address } from "../model/Address.ts"
import type {
  Authorization,
  AuthorizationRequest,
  Offer,
  Quote,
  SignedSweep,
  SweepOrder,
  SweepRequest,
  Tier
} from "../model/Sweep.ts"
import { ORDER_TYPES } from "../model/TypedData.ts"
import {
  address,
  boolean,
  bytes,
  integerOrDecimal,
  object,
  type Read,
  safeInteger,
  struct,
  text,
  uint256
} from "./Reader.ts"
import { write } from "./Writer.ts"

const readers = { address, bytes, uint256 }

/** The response has the members of the signed type. */
export const readOrder: Read<SweepOrder> = struct(
  Object.fromEntries(ORDER_TYPES.SweepOrder.map(({ name, type }) => [name, readers[type]]))
) as Read<never>

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
  {
    builderId: text,
    slippageBps: safeInteger,
    transferFeeBps: safeInteger,
    outputUnwraps: boolean,
    arrivesInsteadIfSwapFails: struct({ token: address, minAmount: uint256 })
  }
)

/** The service writes the nonce as a decimal string; wallets take a number. */
export const readAuthorization: Read<AuthorizationRequest> = struct({
  address,
  chainId: safeInteger,
  nonce: integerOrDecimal
})

/**
 * Reads the response of `POST /quote`. Use it for an offer that did not come through the client, such as from an MCP tool.
 *
 * @throws {MalformedAnswerError} with the place of the first value that is not of the contract's type
 * @example
 * const { structuredContent } = await mcp.callTool({ name: "get_quote", arguments: quoteArguments })
 * const review = reviewOrder(readOffer(structuredContent), request, { delegates: { 8453: delegate } })
 */
export const readOffer: (body: unknown) => Offer = struct({
  quote: readQuote,
  order: readOrder,
  signing: struct({ typedData: object, authorization: readAuthorization })
})

/** Members of a request that `POST /quote` and `POST /quotes` share. */
export const SHARED_MEMBERS = [
  "owner",
  "tokenOut",
  "destination",
  "destChainId",
  "userId",
  "subscriptionActive",
  "apiKey",
  "slippageBps"
] as const

/** Values that a request has unless it names others. */
export const defaultsOf = (owner: Address) => ({
  destination: owner,
  userId: owner as string,
  subscriptionActive: false
})

/** Writes the body of `POST /quote`, with the defaults of {@link SweepRequest}. */
export const writeRequest = (request: SweepRequest) => ({
  ...defaultsOf(request.owner),
  tier: "tier1" as Tier,
  ...write(request, ...SHARED_MEMBERS, "tokenIn", "amountIn", "tier", "route", "sourceChainId", "maxNetworkFee")
})

/** Writes a signed authorization. */
export const writeAuthorization = (signed: Authorization) => ({
  ...write(signed, "address", "chainId", "r", "s", "yParity"),
  nonce: String(signed.nonce)
})

/** Writes the body of `POST /intents`. */
export const writeSigned = (signed: SignedSweep) => ({
  ...write(signed, "quoteId", "signature"),
  authorization: writeAuthorization(signed.authorization)
})
