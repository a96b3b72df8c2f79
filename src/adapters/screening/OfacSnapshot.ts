/**
 * {@link Screening} by a local copy of a sanctions list, a second source that depends on no node and no contract. A job outside
 * the service downloads the file (cron, a sidecar). The service reads it again when it changes.
 *
 * The first character decides the format:
 * - `<` is the SDN list of OFAC (SDN.XML), of which every "Digital Currency Address" that is an EVM address is read;
 * - `[` is a JSON array of addresses;
 * - any other is one address per line, with `#` starting a comment.
 */
import { Clock, Duration, Effect, Exit, FileSystem, Layer, Option, Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { Screening, ScreeningBlocked } from "../../ports/shared/Screening.ts"
import * as FailClosed from "./FailClosed.ts"

export interface Options {
  /** Path of the snapshot. */
  readonly path: string
  /** Maximum age of the file. An older list is not maintained, so it blocks every request. */
  readonly maxAge?: Duration.Input
  /** Time for which a parsed file is cached. */
  readonly reloadEvery?: Duration.Input
  /** Timeout of reading the file. */
  readonly timeout?: Duration.Input
}

/** The file is not a valid sanctions list. */
export class SnapshotInvalid extends Schema.TaggedError<SnapshotInvalid>()("SnapshotInvalid", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `sanctions snapshot ${this.path}: ${this.detail}`
  }
}

/** The listed addresses of a snapshot's text. A line that is not an address makes the whole file invalid, and so does an empty list. */
export const parse = Effect.fnUntraced(function* (path: string, text: string) {
  const listed = yield* Effect.mapError(
    entries(text.trimStart()),
    (error) => new SnapshotInvalid({ path, detail: error.message })
  )
  if (listed.length === 0) return yield* new SnapshotInvalid({ path, detail: "it lists no addresses" })
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

/** OFAC names the currency in `idType`. An EVM address may be listed under several, and other currencies are skipped. */
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
