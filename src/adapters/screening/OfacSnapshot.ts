/**
 * {@link Screening} by a local copy of a sanctions list: a second source that no node and no contract can be wrong about.
 * Something outside of the service (cron, a sidecar) downloads the file; it is read again as it changes.
 *
 * Three formats are told apart by their first character:
 * - `<` the SDN list as OFAC publishes it (SDN.XML): every "Digital Currency Address" that is an EVM address;
 * - `[` a JSON array of addresses;
 * - else one address a line, `#` starting a comment.
 */
import { Clock, Duration, Effect, Exit, FileSystem, Layer, Option, Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { Screening, ScreeningBlocked } from "../../ports/shared/Screening.ts"
import * as FailClosed from "./FailClosed.ts"

export interface Options {
  /** Where the snapshot is. */
  readonly path: string
  /** A file last written longer ago than this blocks everything: a list that is not maintained clears nobody. */
  readonly maxAge?: Duration.Input
  /** How long a parsed file is used before the disk is asked again. */
  readonly reloadEvery?: Duration.Input
  /** How long reading may take. */
  readonly timeout?: Duration.Input
}

/** The file cannot be taken for a sanctions list. */
export class SnapshotInvalid extends Schema.TaggedError<SnapshotInvalid>()("SnapshotInvalid", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `sanctions snapshot ${this.path}: ${this.detail}`
  }
}

/** The listed addresses of a snapshot's text. A line that is no address refuses the whole file, as does an empty list. */
export const parse = Effect.fnUntraced(function* (path: string, text: string) {
  const listed = yield* Effect.mapError(
    entries(text.trimStart()),
    (error) => new SnapshotInvalid({ path, detail: error.message })
  )
  if (listed.length === 0) return yield* new SnapshotInvalid({ path, detail: "it lists no address" })
  return new Set(listed)
})

const decodeAddresses = Schema.decodeEffect(Schema.Array(Address.Address))
const decodeJson = Schema.decodeEffect(Schema.fromJsonString(Schema.Array(Address.Address)))

const entries = (text: string) => {
  if (text.startsWith("<")) return decodeAddresses(sdnAddresses(text))
  if (text.startsWith("[")) return decodeJson(text)
  return decodeAddresses(
    text
      .split("\n")
      .map((line) => line.replace(/#.*/, "").trim())
      .filter((line) => line !== "")
  )
}

/** OFAC names a currency in `idType`; the same EVM address may be listed under several, and others are not EVM addresses. */
const SDN_ADDRESS =
  /<idType>\s*Digital Currency Address[^<]*<\/idType>\s*<idNumber>\s*(0x[0-9a-fA-F]{40})\s*<\/idNumber>/g

const sdnAddresses = (xml: string): ReadonlyArray<string> =>
  Array.from(xml.matchAll(SDN_ADDRESS), ([, address = ""]) => address)

export const make = Effect.fnUntraced(function* (options: Options) {
  const files = yield* FileSystem.FileSystem
  const { path } = options
  const maxAge = Duration.fromInputUnsafe(options.maxAge ?? Duration.days(7))

  const load = Effect.gen(function* () {
    const { mtime } = yield* files.stat(path)
    const text = yield* files.readFileString(path)
    return { listed: yield* parse(path, text), writtenAt: Option.map(mtime, (date) => date.getTime()) }
  })

  const snapshot = yield* Effect.cachedWithTTL(load, (exit) =>
    Exit.isSuccess(exit) ? (options.reloadEvery ?? Duration.minutes(1)) : Duration.zero
  )

  const clear = Effect.fn("OfacSnapshot.clear")(
    function* (_chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
      const { listed, writtenAt } = yield* snapshot
      if (addresses.some((address) => listed.has(address))) return yield* new ScreeningBlocked({ cause: "listed" })
      const now = yield* Clock.currentTimeMillis
      const age = Option.map(writtenAt, (time) => Duration.millis(Math.max(0, now - time)))
      if (!Option.exists(age, (known) => Duration.isLessThanOrEqualTo(known, maxAge))) {
        return yield* new SnapshotInvalid({ path, detail: `it is older than ${Duration.format(maxAge)}` })
      }
    },
    FailClosed.guard("the sanctions snapshot", options.timeout ?? Duration.seconds(3))
  )

  return Screening.of({ clear })
})

export const layer = (options: Options) => Layer.effect(Screening, make(options))
