/** How settings are made: a name, a meaning, a default, and what values make sense. */
import { Config, type Option, Redacted, Schema, SchemaTransformation } from "effect"
import { Uint256 } from "../domain/Amount.ts"

/** What a person needs to know of a setting. */
export interface Documented {
  readonly name: string
  readonly meaning: string
  /** The default as it would be written; absent for a setting that has none. */
  readonly fallback?: string
}

export interface Setting<A> extends Documented {
  readonly config: Config.Config<A>
}

export const withDefault = <A>(
  name: string,
  config: (name: string) => Config.Config<A>,
  fallback: { readonly value: NoInfer<A>; readonly shown: string },
  meaning: string
): Setting<A> => ({
  name,
  meaning,
  fallback: fallback.shown,
  config: Config.withDefault(config(name), fallback.value)
})

export const optional = <A>(
  name: string,
  config: (name: string) => Config.Config<A>,
  meaning: string
): Setting<Option.Option<A>> => ({ name, meaning, config: Config.option(config(name)) })

/** For a setting that its command cannot do without. */
export const required = <A>(name: string, config: (name: string) => Config.Config<A>, meaning: string): Setting<A> => ({
  name,
  meaning,
  config: config(name)
})

/** What an integer setting may be. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Decades of seconds: more is a mistake. */
const MANY = 1_000_000_000
export const POSITIVE: Range = { from: 1, to: MANY }
export const NON_NEGATIVE: Range = { from: 0, to: MANY }
export const BPS: Range = { from: 0, to: 10_000 }

/** Digits alone: `1e3`, `0x10` and ` 5 ` are taken for mistakes. */
const integerIn = ({ from, to }: Range) => {
  const message = `expected an integer from ${from} to ${to}`
  return Schema.String.check(Schema.isPattern(/^[0-9]{1,15}$/, { message })).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum: from, maximum: to }, { message })),
      SchemaTransformation.transform({ decode: Number, encode: String })
    )
  )
}

export const integerConfig = (range: Range) => (name: string) => Config.schema(integerIn(range), name)

export const integer = (name: string, value: number, range: Range, meaning: string) =>
  withDefault(name, integerConfig(range), { value, shown: String(value) }, meaning)

export const text = (name: string, value: string, meaning: string) =>
  withDefault(name, Config.NonEmptyString, { value, shown: value }, meaning)

export const secret = (name: string, meaning: string) => optional(name, (key) => Config.Redacted(key), meaning)

export const wei = (name: string) => Config.schema(Uint256, name)

/** A comma-separated list of secrets, such as private keys; none when it is not set. */
export const secrets = (name: string) =>
  Config.Redacted(name).pipe(
    Config.map((list) =>
      Redacted.value(list)
        .split(",")
        .map((entry) => entry.trim())
        .filter((entry) => entry !== "")
        .map((entry) => Redacted.make(entry, { label: name }))
    ),
    Config.withDefault([])
  )

/** A comma-separated list of urls, of which only the origins matter; none when it is not set. */
export const origins = (name: string) =>
  Config.Array(Schema.URL, name).pipe(
    Config.map((urls) => urls.map(({ origin }) => origin)),
    Config.withDefault([])
  )

/** A comma-separated list of chain ids; none when it is not set. */
export const chainIds = (name: string) =>
  Config.Array(integerIn({ from: 1, to: Number.MAX_SAFE_INTEGER }), name).pipe(Config.withDefault([]))
