/** Codecs of the builder backend's columns. */
import { Effect, Schema, SchemaTransformation } from "effect"
import * as Address from "../../../domain/Address.ts"
import { type BuilderAccount, PayoutMode } from "../../../domain/Builder.ts"

/** `bigint` and `numeric` columns. The client returns the first as a bigint, the second as text. */
export const Integer = Schema.Union([
  Schema.BigInt,
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.BigInt,
      SchemaTransformation.transform({ decode: (text) => BigInt(text), encode: (value) => value.toString() })
    )
  )
])

/** A `bigint` column whose values are safe integers, such as chain ids and counts. */
export const Int8 = Schema.BigInt.pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({ decode: (value) => Number(value), encode: (value) => BigInt(value) })
  )
)

/** Identity column. Callers treat it as opaque. */
export const RowId = Schema.BigInt.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (value) => value.toString(), encode: (value) => BigInt(value) })
  )
)

/** `timestamptz` column as UNIX milliseconds. */
export const Millis = Schema.Date.pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({ decode: (date) => date.getTime(), encode: (millis) => new Date(millis) })
  )
)

/** Decodes rows. A row that does not match is a defect, since this service wrote it. */
export const decode =
  <A, I>(row: Schema.Codec<A, I>) =>
  (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<A>> =>
    Effect.orDie(Schema.decodeUnknownEffect(Schema.Array(row))(rows))

/** Drops keys whose value is null, since the domain has optional keys. */
export const present = <A extends object>(fields: A): { [K in keyof A]?: NonNullable<A[K]> } => {
  const kept: { [K in keyof A]?: NonNullable<A[K]> } = {}
  for (const key in fields) {
    const value = fields[key]
    if (value !== null && value !== undefined) kept[key] = value
  }
  return kept
}

/** Parses an id that a caller sent. Anything but an id is null. The contract refuses such cursors. */
export const rowId = (text: string | undefined): string | null =>
  text !== undefined && /^[0-9]{1,18}$/.test(text) ? text : null

const BuilderRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  builder_bps: Schema.Int,
  max_builder_bps: Schema.Int,
  payout_address: Address.Address,
  payout_mode: PayoutMode,
  suspended_at: Schema.NullOr(Millis),
  wallet_chain_id: Schema.NullOr(Int8),
  created_at: Millis
})

/** Rows of `builder.builders` as accounts. */
export const builders = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<BuilderAccount>> =>
  Effect.map(decode(BuilderRow)(rows), (decoded) =>
    decoded.map((row) => ({
      id: row.id,
      name: row.name,
      builderBps: row.builder_bps,
      maxBuilderBps: row.max_builder_bps,
      payoutAddress: row.payout_address,
      payoutMode: row.payout_mode,
      createdAtMs: row.created_at,
      ...present({ suspendedAtMs: row.suspended_at, walletChainId: row.wallet_chain_id })
    }))
  )
