/** Messages of a builder's own routes, and of lists. Apart from the operators', so that builders' browsers load no more. */
import { Schema } from "effect"
import { Builder, DisplayName } from "../../domain/Builder.ts"
import { Activity, Balance } from "../../domain/LedgerEntry.ts"

export const Ok = Schema.Struct({ ok: Schema.Literal(true) }).annotate({ identifier: "Ok" })

export const NonceView = Schema.Struct({ nonce: Schema.String }).annotate({ identifier: "Nonce" })

const signed = { message: Schema.NonEmptyString, signature: Schema.NonEmptyString }

export const SignInRequest = Schema.Struct(signed).annotate({
  identifier: "SignInRequest",
  description: "An EIP-4361 message over a fresh nonce, and the wallet's signature of it"
})

export const SignUpRequest = Schema.Struct({ ...signed, name: DisplayName }).annotate({ identifier: "SignUpRequest" })

const { createdAtMs: _, ...signedInFields } = Builder.fields

export const SignedIn = Schema.Struct({ builder: Schema.Struct(signedInFields) }).annotate({ identifier: "SignedIn" })

const apiKey = Schema.String.annotate({ description: "shown once", examples: [`swp_${"0123456789abcdef".repeat(4)}`] })

export const NewBuilderView = Schema.Struct({ builder: Builder, apiKey }).annotate({ identifier: "NewBuilder" })

export const NewApiKey = Schema.Struct({ apiKey }).annotate({ identifier: "NewApiKey" })

export const ApiKeyView = Schema.Struct({
  prefix: Schema.String.annotate({ description: "the beginning of the key, to recognise it by" }),
  createdAtMs: Schema.Int,
  lastUsedAtMs: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "ApiKey" })

export const AccrualsView = Schema.Struct({
  balances: Schema.Array(Balance).annotate({ description: "owed and not paid out" }),
  lifetime: Schema.Array(Balance).annotate({ description: "earned ever" })
}).annotate({ identifier: "Accruals" })

export const cursor = Schema.optionalKey(Schema.String).annotate({ description: "absent on the last page" })

export const ActivityView = Schema.Struct({ entries: Schema.Array(Activity), nextCursor: cursor }).annotate({
  identifier: "ActivityPage"
})

/** A moment that a `Date`, and the database, can hold. */
export const Millis = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 8_640_000_000_000_000 }, { message: "expected milliseconds since 1970" })
)

/** Rows of a page, from its query parameters. */
export const PageSize = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 500 }, { message: "expected an integer from 1 to 500" })
)

export const page = { limit: Schema.optionalKey(PageSize), cursor: Schema.optionalKey(Schema.String) }
