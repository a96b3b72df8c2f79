/** A setting: its name, its meaning, its check, its default if it has one, and whether it is secret. */
import { Config, Option, Redacted, Result, Schema, SchemaTransformation } from "effect"
import * as AcceptedTokens from "../domain/AcceptedTokens.ts"
import * as Address from "../domain/Address.ts"
import { Uint256 } from "../domain/Amount.ts"

/** The part of a setting that `./sweep settings` and the documents show. */
export interface Documented {
  readonly name: string
  readonly meaning: string
  /** The default, as it would be written in the environment. Absent if the setting has none. */
  readonly fallback?: string
  readonly secret: boolean
  /** True if the command that reads it cannot do without it. */
  readonly required: boolean
}

export interface Setting<A> extends Documented {
  readonly config: Config.Config<A>
}

/** A setting that has a value in an empty environment. */
export interface Defaulted<A> extends Setting<A> {
  readonly default: A
}

/** Reads and checks the value of the variable `name`. */
type Check<A> = (name: string) => Config.Config<A>

interface Declaration<A> {
  readonly name: string
  readonly meaning: string
  readonly check: Check<A>
}

/**
 * Reads an optional setting. An empty variable counts as not set, so that a container's configuration can pass each setting on
 * without knowing which ones its operator sets.
 */
const unlessEmpty = <A>({ check, name }: Pick<Declaration<A>, "check" | "name">, absent: A): Config.Config<A> =>
  Config.flatMap(Config.option(Config.String(name)), (text) =>
    Option.exists(text, (value) => value.trim() === "")
      ? Config.succeed(absent)
      : Config.withDefault(check(name), absent)
  )

/** Declares a setting with a default. Text, numbers, booleans and urls are all written as `String` writes them. */
export const setting = <A>({
  check,
  default: fallback,
  meaning,
  name
}: Declaration<A> & { readonly default: NoInfer<A> }): Defaulted<A> => ({
  name,
  meaning,
  secret: false,
  required: false,
  default: fallback,
  fallback: String(fallback),
  config: unlessEmpty({ check, name }, fallback)
})

/** Declares a setting that may be absent. */
export const optional = <A>({ check, meaning, name }: Declaration<A>): Defaulted<Option.Option<A>> => ({
  name,
  meaning,
  secret: false,
  required: false,
  default: Option.none(),
  config: unlessEmpty({ name, check: (key) => Config.map(check(key), Option.some) }, Option.none())
})

/** Declares a setting that its command cannot do without. */
export const required = <A>({ check, meaning, name }: Declaration<A>): Setting<A> => ({
  name,
  meaning,
  secret: false,
  required: true,
  config: check(name)
})

/** Declares a comma-separated list. Empty if it is not set. */
export const list = <A>({ check, meaning, name }: Declaration<ReadonlyArray<A>>): Defaulted<ReadonlyArray<A>> => ({
  name,
  meaning,
  secret: false,
  required: false,
  default: [],
  config: unlessEmpty({ check, name }, [])
})

interface SecretDeclaration extends Omit<Declaration<never>, "check"> {
  /** True if a command needs it, which then says so. Other commands read the same group. Default: false. */
  readonly required?: boolean
}

/** Declares a secret that may be absent. Its value is never printed. */
export const secret = ({
  meaning,
  name,
  required = false
}: SecretDeclaration): Defaulted<Option.Option<Redacted.Redacted>> => ({
  ...optional({ name, meaning, check: (key) => Config.Redacted(key) }),
  secret: true,
  required
})

/**
 * Declares bearer tokens that a service accepts, separated by commas: the current one first, and former ones, each with the date from
 * which it is refused, or without one. May be absent.
 */
export const tokens = ({
  meaning,
  name
}: SecretDeclaration): Defaulted<Option.Option<AcceptedTokens.AcceptedTokens>> => ({
  name,
  meaning,
  secret: true,
  required: false,
  default: Option.none(),
  config: unlessEmpty({ name, check: acceptedTokens }, Option.none())
})

/** Declares a bearer token that is sent to another service. Of a list as {@link tokens} reads, the current one is sent. */
export const sentToken = (declaration: SecretDeclaration): Defaulted<Option.Option<Redacted.Redacted>> => {
  const accepted = tokens(declaration)
  return {
    ...accepted,
    default: Option.none(),
    config: Config.map(accepted.config, (list) => Option.map(list, ({ current }) => current))
  }
}

const acceptedTokens: Check<Option.Option<AcceptedTokens.AcceptedTokens>> = (name) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter((text: string) =>
        Result.match(AcceptedTokens.parse(text, name), { onFailure: (problem) => problem, onSuccess: () => true })
      )
    ),
    name
  ).pipe(Config.map((text) => Option.fromUndefinedOr(Result.getOrThrow(AcceptedTokens.parse(text, name)))))

/** Declares a comma-separated list of secrets, such as private keys. Empty if it is not set. */
export const secrets = ({
  meaning,
  name,
  required = false
}: SecretDeclaration): Defaulted<ReadonlyArray<Redacted.Redacted>> => ({
  ...list({ name, meaning, check: commaSeparatedSecrets }),
  secret: true,
  required
})

const commaSeparatedSecrets = (name: string) =>
  Config.Redacted(name).pipe(
    Config.map((values) =>
      Redacted.value(values)
        .split(",")
        .map((entry) => entry.trim())
        .filter((entry) => entry !== "")
        .map((entry) => Redacted.make(entry, { label: name }))
    )
  )

/** The inclusive range of an integer setting. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** About 30 years in seconds. A larger value is a mistake. */
const MANY = 1_000_000_000
export const POSITIVE: Range = { from: 1, to: MANY }
export const NON_NEGATIVE: Range = { from: 0, to: MANY }
export const BPS: Range = { from: 0, to: 10_000 }

/** Accepts digits only. `1e3`, `0x10` and ` 5 ` are rejected as mistakes. */
export const integerIn = ({ from, to }: Range) => {
  const message = `expected an integer from ${from} to ${to}`
  return Schema.String.check(Schema.isPattern(/^[0-9]{1,15}$/, { message })).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum: from, maximum: to }, { message })),
      SchemaTransformation.transform({ decode: Number, encode: String })
    )
  )
}

/** Checks an integer within a range. */
export const integer =
  (range: Range): Check<number> =>
  (name) =>
    Config.schema(integerIn(range), name)

/** Checks one of a few words. */
export const oneOf =
  <const Words extends ReadonlyArray<string>>(...words: Words): Check<Words[number]> =>
  (name) =>
    Config.Literals(words, name)

/** Checks an amount in wei, from 0 to 2^256 - 1. */
export const wei: Check<bigint> = (name) => Config.schema(Uint256, name)

/** Checks comma-separated urls, of which only the origins are kept. */
export const origins: Check<ReadonlyArray<string>> = (name) =>
  Config.Array(Schema.URL, name).pipe(Config.map((urls) => urls.map(({ origin }) => origin)))

/** Checks comma-separated chain ids. */
export const chainIds: Check<ReadonlyArray<number>> = (name) =>
  Config.Array(integerIn({ from: 1, to: Number.MAX_SAFE_INTEGER }), name)

/** Checks comma-separated addresses. */
export const addresses: Check<ReadonlyArray<Address.Address>> = (name) => Config.Array(Address.NonZeroAddress, name)

const CHAIN_TOKEN = "expected <chain id>:<address>, such as 8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

const chainToken = Schema.String.check(
  Schema.isPattern(/^ *[1-9][0-9]{0,14}:0x[0-9a-fA-F]{40} *$/, { message: CHAIN_TOKEN })
).pipe(
  Schema.decodeTo(
    Schema.Struct({ chainId: Schema.Int, token: Address.NonZeroAddress }),
    SchemaTransformation.transform({
      decode: (text) => ({ chainId: Number(text.split(":")[0]), token: text.split(":")[1]?.trim() ?? "" }),
      encode: ({ chainId, token }) => `${chainId}:${token}`
    })
  )
)

/** Checks comma-separated tokens with their chains. */
export const tokensByChain: Check<ReadonlyArray<typeof chainToken.Type>> = (name) => Config.Array(chainToken, name)

type Group = Readonly<Record<string, Setting<unknown>>>

/** Reads all settings of a group. */
export const valuesOf = <G extends Group>(group: G) =>
  Config.all(
    Object.fromEntries(Object.entries(group).map(([key, { config }]) => [key, config])) as {
      readonly [Key in keyof G]: G[Key]["config"]
    }
  )

/** The defaults of a group, which are its values in an empty environment. */
export const defaultsOf = <G extends Readonly<Record<string, Defaulted<unknown>>>>(group: G) =>
  Object.fromEntries(Object.entries(group).map(([key, each]) => [key, each.default])) as {
    readonly [Key in keyof G]: G[Key]["default"]
  }
