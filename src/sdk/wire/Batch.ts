/** JSON of `POST /quotes`, `POST /sweeps`, `GET /sweeps/:id` and `GET /owners/:owner/sweeps`. */
import type {
  BatchLeg,
  QuotedToken,
  RefusedToken,
  ServedBatchTypedData,
  SignedBatch,
  Sweep,
  SweepAccepted,
  SweepPage,
  SweepQuotes,
  SweepQuotesRequest,
  SweepTotals,
  TotalValue
} from "../model/Batch.ts"
import { readAccepted, readIntent, readListedIntent } from "./Intent.ts"
import { readAuthorization, readOrder, readQuote, readTypes, writeAuthorization } from "./Offer.ts"
import { address, integerOrDecimal, list, members, nullable, type Read, safeInteger, sum, text } from "./Reader.ts"

const readEntry: Read<QuotedToken | RefusedToken> = (value, path) => {
  const { get, optional } = members(value, path)
  const { quote } = optional("quote", readQuote)
  return quote === undefined
    ? { chainId: get("chainId", safeInteger), token: get("token", address), reason: get("reason", text) }
    : { quote, order: get("order", readOrder) }
}

const readDomain: Read<ServedBatchTypedData["domain"]> = (value, path) => {
  const { get } = members(value, path)
  return {
    name: get("name", text),
    version: get("version", text),
    verifyingContract: get("verifyingContract", address)
  }
}

export const readLeg: Read<BatchLeg> = (value, path) => {
  const { get } = members(value, path)
  return { chainId: get("chainId", integerOrDecimal), order: get("order", readOrder) }
}

const readTypedData: Read<ServedBatchTypedData> = (value, path) => {
  const { get } = members(value, path)
  return {
    domain: get("domain", readDomain),
    types: get("types", readTypes),
    primaryType: get("primaryType", text),
    message: get("message", (value, path) => ({ legs: members(value, path).get("legs", list(readLeg)) }))
  }
}

const readSigning: Read<NonNullable<SweepQuotes["signing"]>> = (value, path) => {
  const { get } = members(value, path)
  return {
    typedData: get("typedData", readTypedData),
    authorizations: get("authorizations", list(readAuthorization))
  }
}

const readTotal: Read<TotalValue> = (value, path) => {
  const { get } = members(value, path)
  return { amount: get("amount", nullable(sum)), usd: get("usd", nullable(text)) }
}

const readTotals: Read<SweepTotals> = (value, path) => {
  const { get } = members(value, path)
  return {
    minAmountOut: get("minAmountOut", readTotal),
    estimatedAmountOut: get("estimatedAmountOut", readTotal),
    fees: get("fees", (value, path) => {
      const { get } = members(value, path)
      return {
        protocol: get("protocol", readTotal),
        network: get("network", readTotal),
        builder: get("builder", readTotal)
      }
    })
  }
}

/**
 * Reads the response of `POST /quotes`. Use it for quotes that did not come through the client, such as from an MCP tool.
 *
 * @throws {MalformedAnswerError} with the place of the first value that is not of the contract's type
 * @example
 * const review = reviewSweepQuotes(readSweepQuotes(structuredContent), request, options)
 */
export const readSweepQuotes = (body: unknown): SweepQuotes => {
  const { get, optional } = members(body, "")
  return {
    id: get("id", text),
    expiresAtMs: get("expiresAtMs", safeInteger),
    quotes: get("quotes", list(readEntry)),
    ...optional("signing", readSigning),
    totals: get("totals", readTotals)
  }
}

/** Reads the response of `POST /sweeps`. */
export const readSweepAccepted = (body: unknown): SweepAccepted => {
  const { get } = members(body, "")
  return { id: get("id", text), intents: get("intents", list(readAccepted)) }
}

/** Reads the response of `GET /sweeps/:id`. */
export const readSweep = (body: unknown): Sweep => {
  const { get } = members(body, "")
  return { id: get("id", text), intents: get("intents", list(readIntent)) }
}

/** Reads the response of `GET /owners/:owner/sweeps`. */
export const readSweepPage = (body: unknown): SweepPage => {
  const { get, optional } = members(body, "")
  const readListed: Read<SweepPage["sweeps"][number]> = (value, path) => {
    const { get } = members(value, path)
    return { id: get("id", text), intents: get("intents", list(readListedIntent)) }
  }
  return { sweeps: get("sweeps", list(readListed)), ...optional("next", text) }
}

/** Writes the body of `POST /quotes`, with the defaults of {@link SweepQuotesRequest}. */
export const writeSweepQuotesRequest = (request: SweepQuotesRequest) => ({
  owner: request.owner,
  destination: request.destination ?? request.owner,
  destChainId: request.destChainId,
  tokenOut: request.tokenOut,
  tokens: request.tokens.map(({ amount, chainId, tier, token }) => ({
    chainId,
    token,
    amount: amount.toString(),
    ...(tier === undefined ? {} : { tier })
  })),
  userId: request.userId ?? request.owner,
  subscriptionActive: request.subscriptionActive ?? false,
  ...(request.apiKey === undefined ? {} : { apiKey: request.apiKey }),
  ...(request.slippageBps === undefined ? {} : { slippageBps: request.slippageBps })
})

/** Writes the body of `POST /sweeps`. */
export const writeSignedBatch = ({ authorizations, quoteIds, signature }: SignedBatch) => ({
  quoteIds,
  signature,
  authorizations: authorizations.map(writeAuthorization)
})
