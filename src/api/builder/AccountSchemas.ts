/** Messages of a builder's own routes, and of lists. Separate from the operators' messages to keep the dashboard small. */
import { Schema } from "effect"
import { Builder, DisplayName } from "../../domain/Builder.ts"
import * as Address from "../../domain/Address.ts"
import { ChainId } from "../../domain/ChainId.ts"
import { Activity, Balance, EarningStatus } from "../../domain/LedgerEntry.ts"
import { described } from "../../domain/Described.ts"
import { searchQuery } from "../shared/SearchQuery.ts"

export const Ok = Schema.Struct({ ok: described(Schema.Literal(true), "Always true.") }).annotate({ identifier: "Ok" })

export const NonceView = Schema.Struct({
  nonce: described(Schema.String, "Single-use nonce for a sign-in message.")
}).annotate({ identifier: "Nonce" })

const signed = {
  message: described(Schema.NonEmptyString, "EIP-4361 message with a fresh nonce."),
  signature: described(Schema.NonEmptyString, "Signature of the message by the wallet.")
}

export const SignInRequest = Schema.Struct(signed).annotate({
  identifier: "SignInRequest",
  description: "An EIP-4361 message over a fresh nonce, and the wallet's signature of it"
})

export const SignUpRequest = Schema.Struct({
  ...signed,
  name: described(DisplayName, "Display name of the builder.")
}).annotate({ identifier: "SignUpRequest" })

const { createdAtMs: _, ...signedInFields } = Builder.fields

export const SignedIn = Schema.Struct({
  builder: described(Schema.Struct(signedInFields), "Builder that signed in.")
}).annotate({ identifier: "SignedIn" })

const apiKey = described(
  Schema.String.annotate({ examples: [`swp_${"0123456789abcdef".repeat(4)}`] }),
  "API key. It is shown only once."
)

export const NewBuilderView = Schema.Struct({
  builder: described(Builder, "The registered builder."),
  apiKey
}).annotate({ identifier: "NewBuilder" })

export const NewApiKey = Schema.Struct({ apiKey }).annotate({ identifier: "NewApiKey" })

export const ApiKeyView = Schema.Struct({
  prefix: described(Schema.String, "First characters of the key, which identify it."),
  createdAtMs: described(Schema.Int, "UNIX time in milliseconds when the key was created."),
  lastUsedAtMs: described(
    Schema.optionalKey(Schema.Int),
    "UNIX time in milliseconds of the last use. Absent if the key was never used."
  )
}).annotate({ identifier: "ApiKey" })

export const AccrualsView = Schema.Struct({
  balances: described(Schema.Array(Balance), "Amounts owed and not paid out, one for each token and chain."),
  lifetime: described(Schema.Array(Balance), "Amounts earned since registration, one for each token and chain."),
  paid: described(
    Schema.optionalKey(Schema.Array(Balance)),
    "Amounts paid out, one for each token and chain. More than was earned, after the reversal of a paid accrual, is a debt that later earnings reduce. Absent from older backends."
  ),
  walletChainId: described(
    Schema.optionalKey(ChainId),
    "Chain of the builder's contract wallet. Balances on other chains are in no payout batch, since the address may belong to somebody else there. Absent if the address may be paid on every chain."
  )
}).annotate({ identifier: "Accruals" })

export const cursor = described(Schema.optionalKey(Schema.String), "Cursor of the next page. Absent on the last page.")

export const ActivityView = Schema.Struct({
  entries: described(Schema.Array(Activity), "Accruals, newest first."),
  nextCursor: cursor
}).annotate({
  identifier: "ActivityPage"
})

/** A time that fits a `Date` and the database's timestamps. */
export const Millis = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 8_640_000_000_000_000 }, { message: "expected milliseconds since 1970" })
)

/** Query parameters are text, so this is not the schema that bodies refer to. */
const ChainIdParameter = Schema.Int.check(
  Schema.isBetween(
    { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    { message: "expected a positive integer chain id" }
  )
)

/** Query parameters that select rows by their time. */
export const period = {
  fromMs: described(Schema.optionalKey(Millis), "Only rows of this time or later, UNIX time in milliseconds."),
  toMs: described(Schema.optionalKey(Millis), "Only rows before this time, UNIX time in milliseconds.")
}

/** Query parameters that select rows by chain and token. */
export const ofToken = {
  chainId: described(Schema.optionalKey(ChainIdParameter), "Only rows of this chain."),
  token: described(Schema.optionalKey(Address.Address), "Only rows of this token. With `chainId`, on that chain.")
}

/** Query parameter that finds rows. */
export const search = (description: string) => ({ q: described(Schema.optionalKey(searchQuery.q), description) })

/** Maximum number of rows of a page. */
export const MAX_PAGE = 500

/** Number of rows of a page. */
export const PageSize = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: MAX_PAGE }, { message: `expected an integer from 1 to ${MAX_PAGE}` })
)

/** Problem of a cursor that no page has returned. */
export const UNKNOWN_CURSOR = "expected the nextCursor of an earlier page"

/** Query parameters of a list whose cursors match a pattern. Any other cursor is refused, since it would select another page. */
export const pageBy = (cursorPattern: RegExp) => ({
  limit: described(Schema.optionalKey(PageSize), "Rows of the page, at most 500. Default: 100."),
  cursor: described(
    Schema.optionalKey(Schema.String.check(Schema.isPattern(cursorPattern, { message: UNKNOWN_CURSOR }))),
    "`nextCursor` of the previous page."
  )
})

/** Query parameters of a list whose cursors are numbers of rows. */
export const page = pageBy(/^[1-9][0-9]{0,17}$/)

/** Query parameters of the list of accruals. */
export const activityQuery = {
  ...page,
  limit: described(
    Schema.optionalKey(PageSize),
    "Rows of the page, at most 500. Default: 500 without `cursor`, 100 with it."
  ),
  status: described(Schema.optionalKey(EarningStatus), "Only accruals in this status."),
  ...ofToken,
  ...period,
  ...search("Only accruals of this settlement, transaction or intent.")
}
