/** JSON of `POST /quotes`, `POST /sweeps`, `GET /sweeps/:id` and `GET /owners/:owner/sweeps`. */
import type {
  BatchLeg,
  QuotedToken,
  RefusedToken,
  SignedBatch,
  Sweep,
  SweepAccepted,
  SweepPage,
  SweepQuotes,
  SweepQuotesRequest,
  TotalValue
} from "../model/Batch.ts"
import { readAccepted, readIntent, readListedIntent } from "./Intent.ts"
import { defaultsOf, readAuthorization, readOrder, readQuote, SHARED_MEMBERS, writeAuthorization } from "./Offer.ts"
import {
  address,
  integerOrDecimal,
  list,
  nullable,
  object,
  type Read,
  safeInteger,
  struct,
  sum,
  text
} from "./Reader.ts"
import { write } from "./Writer.ts"

const readQuoted: Read<QuotedToken> = struct({ quote: readQuote, order: readOrder })
const readRefused: Read<RefusedToken> = struct({ chainId: safeInteger, token: address, reason: text })

const readEntry: Read<QuotedToken | RefusedToken> = (value, path) =>
  ("quote" in object(value, path) ? readQuoted : readRefused)(value, path)

export const readLeg: Read<BatchLeg> = struct({ chainId: integerOrDecimal, order: readOrder })

const readTotal: Read<TotalValue> = struct({ amount: nullable(sum), usd: nullable(text) })

/**
 * Reads the response of `POST /quotes`. Use it for quotes that did not come through the client, such as from an MCP tool.
 *
 * @throws {MalformedAnswerError} with the place of the first value that is not of the contract's type
 * @example
 * const review = reviewSweepQuotes(readSweepQuotes(structuredContent), request, options)
 */
export const readSweepQuotes: (body: unknown) => SweepQuotes = struct(
  {
    id: text,
    expiresAtMs: safeInteger,
    quotes: list(readEntry),
    totals: struct({
      minAmountOut: readTotal,
      estimatedAmountOut: readTotal,
      fees: struct({ protocol: readTotal, network: readTotal, builder: readTotal })
    })
  },
  { signing: struct({ authorizations: list(readAuthorization) }) }
)

/** Reads the response of `POST /sweeps`. */
export const readSweepAccepted: Read<SweepAccepted> = struct({ id: text, intents: list(readAccepted) })

/** Reads the response of `GET /sweeps/:id`. */
export const readSweep: Read<Sweep> = struct({ id: text, intents: list(readIntent) })

/** Reads the response of `GET /owners/:owner/sweeps`. */
export const readSweepPage: Read<SweepPage> = struct(
  { sweeps: list(struct({ id: text, intents: list(readListedIntent) })) },
  { next: text }
)

/** Writes the body of `POST /quotes`, with the defaults of {@link SweepQuotesRequest}. */
export const writeSweepQuotesRequest = (request: SweepQuotesRequest) => ({
  ...defaultsOf(request.owner),
  ...write(request, ...SHARED_MEMBERS),
  tokens: request.tokens.map((each) => write(each, "chainId", "token", "amount", "tier", "maxNetworkFee"))
})

/** Writes the body of `POST /sweeps`. */
export const writeSignedBatch = (signed: SignedBatch) => ({
  ...write(signed, "quoteIds", "signature"),
  authorizations: signed.authorizations.map(writeAuthorization)
})
