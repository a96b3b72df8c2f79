/**
 * A local copy of a sanctions list, a source that depends on no node and no contract. A job outside the service downloads the file
 * (cron, a sidecar). The service reads it again when it changes.
 *
 * The first character decides the format:
 * - `<` is the SDN list of OFAC (SDN.XML), of which every "Digital Currency Address" that is an EVM address is read;
 * - `[` is a JSON array of addresses;
 * - any other is one address per line, with `#` starting a comment.
 */
import { Duration, Effect, Exit, FileSystem, Option, Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import * as SdnXml from "./SdnXml.ts"

export interface Options {
  /** Path of the snapshot. */
  readonly path: string
  /** Time for which a parsed file is cached. */
  readonly reloadEvery?: Duration.Input
}

/** A file that was read. */
export interface Snapshot {
  readonly listed: ReadonlySet<Address.Address>
  /** UNIX milliseconds. */
  readonly writtenAt: number | undefined
  /** True if it is the SDN list, and not another list of addresses. */
  readonly isOfac: boolean
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

const isSdn = (text: string): boolean => text.startsWith("<")

const entries = (text: string) => {
  if (isSdn(text)) return decodeAddresses(SdnXml.addressesIn(text))
  if (text.startsWith("[")) return decodeJson(text)
  return decodeAddresses(
    text
      .split("\n")
      .map((line) => line.replace(/#.*/, "").trim())
      .filter((line) => line !== "")
  )
}

/** Makes the effect that reads the file, at most once in `reloadEvery`. */
export const reader = Effect.fnUntraced(function* ({ path, reloadEvery = Duration.minutes(1) }: Options) {
  const files = yield* FileSystem.FileSystem
  const load = Effect.gen(function* () {
    const { mtime } = yield* files.stat(path)
    const text = yield* files.readFileString(path)
    return {
      listed: yield* parse(path, text),
      writtenAt: Option.getOrUndefined(Option.map(mtime, (date) => date.getTime())),
      isOfac: isSdn(text.trimStart())
    } satisfies Snapshot
  })
  return yield* Effect.cachedWithTTL(load, (exit) => (Exit.isSuccess(exit) ? reloadEvery : Duration.zero))
})
