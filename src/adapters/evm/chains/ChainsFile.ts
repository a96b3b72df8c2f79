/** Reads the chains that an operator serves from a JSON file, an array of `ChainSettings` entries. */
import { Effect, FileSystem, Option, Schema, SchemaIssue } from "effect"
import { KNOWN_CHAINS } from "../../../catalog/KnownChains.ts"
import * as Assets from "../../../domain/Assets.ts"
import { Deployment } from "../../../domain/Chain.ts"
import * as ChainMoney from "../../../domain/ChainMoney.ts"
import * as PriceFacts from "../../../domain/PriceFacts.ts"
import { RpcEndpoint } from "../../../domain/RpcEndpoint.ts"
import { NamedTarget } from "../../../domain/SwapTarget.ts"
import { TokenInfo } from "../../../domain/Token.ts"
import * as Venue from "../../../domain/Venue.ts"
import { nearest } from "../../../domain/Nearest.ts"
import { ChainSettings, ownAssets, withKnownFacts } from "./ChainSettings.ts"

/** The file is missing or invalid. The message says what to change. */
export class BadChainsFile extends Schema.TaggedError<BadChainsFile>()("BadChainsFile", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `chains file ${this.path}: ${this.detail}`
  }
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** One line with every problem and its field. Values are not repeated, since URLs may contain API keys. */
const sentence = (error: Schema.SchemaError, entries: ReadonlyArray<unknown>): string =>
  issuesOf(error.issue)
    .issues.map(({ message, path = [] }) => {
      const [index, ...field] = path.map(String)
      const said = message.charAt(0).toLowerCase() + message.slice(1)
      if (index === undefined) return said
      return [
        entryName(entries[Number(index)], Number(index)),
        ...(field.length > 0 ? [field.join(".")] : []),
        said
      ].join(": ")
    })
    .join("; ")

const entryName = (entry: unknown, index: number): string =>
  typeof entry === "object" && entry !== null && "id" in entry && typeof entry.id === "number"
    ? `chain ${entry.id}`
    : `entry ${index + 1}`

const repeated = <A>(values: ReadonlyArray<A>): Option.Option<A> =>
  Option.fromUndefinedOr(values.find((value, index) => values.indexOf(value) !== index))

/** Listed tokens whose decimals are not those of the catalogue. Decimals of a token never change. */
const otherDecimals = ({ id, tokens }: ChainSettings): ReadonlyArray<string> =>
  (KNOWN_CHAINS[id]?.tokens ?? []).flatMap((known) => {
    const listed = tokens.find(({ address }) => address.toLowerCase() === known.address.toLowerCase())
    return listed === undefined || listed.decimals === known.decimals
      ? []
      : [`chain ${id}: the token ${listed.symbol} has ${known.decimals} decimals, not ${listed.decimals}`]
  })

/** Finds a problem that concerns several fields or entries. */
const objection = (chains: ReadonlyArray<ChainSettings>): string | undefined => {
  const id = repeated(chains.map((chain) => chain.id))
  if (Option.isSome(id)) return `chain ${id.value} is listed twice`
  const name = repeated(chains.map((chain) => chain.name))
  if (Option.isSome(name))
    return `the name ${name.value} is given to two chains, so that a route hint could mean either`
  const target = chains.flatMap(({ id: chainId, targets = [] }) =>
    Option.toArray(repeated(targets.map(({ address }) => address))).map((address) => ({ chainId, address }))
  )[0]
  if (target !== undefined) return `chain ${target.chainId}: targets lists ${target.address} twice`
  const contradiction = chains.flatMap((chain) => {
    const said = ChainMoney.objection(chain) ?? PriceFacts.objection(chain) ?? Venue.objection(chain)
    return said === undefined ? [] : [`chain ${chain.id}: ${said}`]
  })[0]
  if (contradiction !== undefined) return contradiction
  const stray = chains.flatMap((chain) =>
    chain.tokens.flatMap((token) => (token.chainId === chain.id ? [] : [{ chain, token }]))
  )[0]
  if (stray !== undefined) {
    return `chain ${stray.chain.id}: the token ${stray.token.symbol} is of chain ${stray.token.chainId}`
  }
  const other = chains.flatMap((chain) => otherDecimals(chain))[0]
  if (other !== undefined) return other
  return chains.flatMap((chain) => {
    const said = Assets.objection(chain, ownAssets(chain))
    return said === undefined ? [] : [`chain ${chain.id}: ${said}`]
  })[0]
}

const CHAIN_KEYS = Object.keys(ChainSettings.fields)
const CONTRACT_KEYS = Object.keys(Deployment.fields)
const ENDPOINT_KEYS = Object.keys(RpcEndpoint.fields)
const FEED_KEYS = Object.keys(PriceFacts.PriceFeed.fields)
const TARGET_KEYS = Object.keys(NamedTarget.fields)
const RULE_KEYS = Object.keys(ChainMoney.ConfirmationRule.fields)
const VENUE_KEYS = Object.keys(Venue.Venue.fields)
/** Token lists may have two more keys, which the service does not use. */
const TOKEN_KEYS = [...Object.keys(TokenInfo.fields), "tags", "extensions"]

const keysOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : []

/** Keys that mean nothing here. A misspelt optional key would otherwise be ignored, and its default used. */
const strangers = (entry: unknown): ReadonlyArray<string> => {
  const unknown = (value: unknown, known: ReadonlyArray<string>, inside: string) =>
    keysOf(value)
      .filter((key) => !known.includes(key))
      .map((key) => {
        const meant = nearest(key, known)
        return `unknown key ${inside}${shown(key)}${Option.isSome(meant) ? `, did you mean ${meant.value}?` : ""}`
      })
  const fields = new Map<string, unknown>(typeof entry === "object" && entry !== null ? Object.entries(entry) : [])
  const ofEach = (field: string, known: ReadonlyArray<string>) => {
    const parts: unknown = fields.get(field)
    return Array.isArray(parts) ? parts.flatMap((part, index) => unknown(part, known, `${field}.${index}.`)) : []
  }
  return [
    ...unknown(entry, CHAIN_KEYS, ""),
    ...unknown(fields.get("contracts"), CONTRACT_KEYS, "contracts."),
    ...ofEach("rpcUrls", ENDPOINT_KEYS),
    ...ofEach("broadcastUrls", ENDPOINT_KEYS),
    ...ofEach("confirmationsByValue", RULE_KEYS),
    ...ofEach("priceFeeds", FEED_KEYS),
    ...ofEach("privateUrls", ENDPOINT_KEYS),
    ...ofEach("targets", TARGET_KEYS),
    ...ofEach("tokens", TOKEN_KEYS),
    ...ofEach("venues", VENUE_KEYS)
  ]
}

/** A key may be a URL that was pasted at the wrong place, so only names are repeated. */
const shown = (key: string): string => (/^[\w$.-]{1,40}$/.test(key) ? key : "that is no name")

const List = Schema.fromJsonString(Schema.NonEmptyArray(Schema.Unknown))

/** Decodes the file's text. Reports all problems at once. */
export const decode = Effect.fnUntraced(function* (path: string, text: string) {
  const bad = (detail: string) => new BadChainsFile({ path, detail })
  const entries = yield* Effect.mapError(Schema.decodeEffect(List)(text), () =>
    bad("is not a JSON array of at least one chain")
  )
  const unknown = entries.flatMap((entry, index) =>
    strangers(entry).map((said) => `${entryName(entry, index)}: ${said}`)
  )
  const settings = yield* Schema.decodeUnknownEffect(Schema.NonEmptyArray(ChainSettings))(entries.map(withKnownFacts), {
    errors: "all"
  }).pipe(Effect.mapError((error) => bad([...unknown, sentence(error, entries)].join("; "))))
  if (unknown.length > 0) return yield* bad(unknown.join("; "))
  const objected = objection(settings)
  return objected === undefined ? settings : yield* bad(objected)
})

/** Reads and decodes the file. */
export const read = Effect.fn("ChainsFile.read")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs.readFileString(path).pipe(
    Effect.mapError(({ reason }) => {
      if (reason._tag === "PermissionDenied") {
        return new BadChainsFile({
          path,
          detail: "cannot be read; make it readable for the account that runs this program"
        })
      }
      const why = reason._tag === "NotFound" ? "there is no such file" : `cannot be read (${reason._tag})`
      return new BadChainsFile({ path, detail: `${why}; set CHAINS_FILE to the one that lists the chains` })
    })
  )
  return yield* decode(path, text)
})
