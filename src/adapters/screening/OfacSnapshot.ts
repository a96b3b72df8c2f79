/**
 * A local copy of a sanctions list, a source that depends on no node and no contract. A job outside the service downloads the file
 * (cron, a sidecar). The service reads it again when it changes.
 *
 * The first character decides the format:
 * - `<` is the SDN list of OFAC (SDN.XML), of which every "Digital Currency Address" that is an EVM address is read;
 * - `[` is a JSON array of addresses;
 * - any other is one address per line, with `#` starting a comment.
 *
 * The job may be writing the file while it is read, or may have died meanwhile. The first two formats show that they are cut off. The
 * last one does not if the cut is between two lines, so its addresses are compared with those of the copy in use.
 */
import { Clock, Duration, Effect, Exit, FileSystem, Option, Result, Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import * as SanctionsList from "../../domain/SanctionsList.ts"
import * as SdnXml from "./SdnXml.ts"
import * as ShrunkCopies from "./ShrunkCopies.ts"

/** Time in which a file that cannot be read any more is replaced by the last good copy, in milliseconds. */
const KEPT_MILLIS = 900_000

/** Largest lead of the file system's clock, in milliseconds. A later time of writing would count as fresh for too long. */
const SKEW_MILLIS = 300_000

export interface Options {
  /** Path of the snapshot. */
  readonly path: string
  /** Time for which a parsed file is cached. */
  readonly reloadEvery?: Duration.Input
  /** Part of the addresses that may be missing from a newer copy, in percent. Default: 20. */
  readonly maxRemovedPercent?: number
}

/** A file that was read. */
export interface Snapshot {
  readonly listed: ReadonlySet<Address.Address>
  /** UNIX milliseconds. Undefined if the file system has no time for it, or one that has not come. */
  readonly writtenAt: number | undefined
  /** True if it is the SDN list, and not another list of addresses. */
  readonly isOfac: boolean
  /** Reason for which the time of writing is that of an earlier copy. Absent if it is the file's own. */
  readonly refusal?: string
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

const sdnEntries = (text: string) => {
  const { finish, push } = SdnXml.reader()
  push(text)
  return Effect.fromResult(
    Result.mapBoth(finish(), {
      onFailure: (message) => ({ message }),
      onSuccess: ({ addresses }) => [...addresses]
    })
  )
}

const entries = (text: string): Effect.Effect<ReadonlyArray<Address.Address>, { readonly message: string }> => {
  if (isSdn(text)) return sdnEntries(text)
  if (text.startsWith("[")) return decodeJson(text)
  return decodeAddresses(
    text
      .split("\n")
      .map((line) => line.replace(/#.*/, "").trim())
      .filter((line) => line !== "")
  )
}

const asList = ({ listed }: Snapshot): SanctionsList.SanctionsList => ({ addresses: listed, publishedOn: undefined })

/** A copy that lacks too many addresses lifts no sanctions. Until it is confirmed, it makes the list in use no younger either. */
const joined = (before: Snapshot, next: Snapshot, isConfirmed: boolean, refusal: string): Snapshot => {
  const listed = new Set([...before.listed, ...next.listed])
  return isConfirmed ? { ...next, listed } : { ...next, listed, writtenAt: before.writtenAt, refusal }
}

/**
 * Makes the effect that reads the file, at most once in `reloadEvery`. While a file that was good cannot be read, the last good copy
 * is in use for 15 minutes. Addresses that a much shorter copy lacks stay listed until a copy has them again, or until a restart.
 */
export const reader = Effect.fnUntraced(function* ({
  maxRemovedPercent = 20,
  path,
  reloadEvery = Duration.minutes(1)
}: Options) {
  const files = yield* FileSystem.FileSystem
  /** The copy in use. */
  let good: Snapshot | undefined
  /** The last copy that was accepted. Later ones are compared with it, and not with what refused ones add. */
  let base: Snapshot | undefined
  let shrunk: ShrunkCopies.Shrunk | undefined
  /** UNIX milliseconds of the first of the failures in a row. */
  let failingSince: number | undefined
  let complained: string | undefined

  const complain = Effect.fnUntraced(function* (detail: string) {
    if (complained === detail) return
    complained = detail
    yield* Effect.annotateLogs(Effect.logWarning("sanctions.file_refused"), { path, detail })
  })

  const read = Effect.gen(function* () {
    // Before the text, so that a file that changes meanwhile does not look younger than it is.
    const { mtime } = yield* files.stat(path)
    const text = yield* files.readFileString(path)
    const latest = (yield* Clock.currentTimeMillis) + SKEW_MILLIS
    const written = Option.filter(
      Option.map(mtime, (date) => date.getTime()),
      (millis) => millis <= latest
    )
    return {
      listed: yield* parse(path, text),
      writtenAt: Option.getOrUndefined(written),
      isOfac: isSdn(text.trimStart())
    } satisfies Snapshot
  })

  const accept = Effect.fnUntraced(function* (next: Snapshot) {
    failingSince = undefined
    const before = good
    const accepted = SanctionsList.replace(base && asList(base), asList(next), maxRemovedPercent)
    if (before === undefined || Result.isSuccess(accepted)) {
      complained = undefined
      shrunk = undefined
      return (good = base = next)
    }
    const now = yield* Clock.currentTimeMillis
    const refusal = SanctionsList.describe(accepted.failure)
    yield* complain(refusal)
    shrunk = ShrunkCopies.after(shrunk, { list: asList(next), madeAt: next.writtenAt }, now, maxRemovedPercent)
    const isConfirmed = ShrunkCopies.isConfirmed(shrunk, now)
    good = joined(before, next, isConfirmed, refusal)
    if (isConfirmed) base = good
    return good
  })

  const load = Effect.gen(function* () {
    const outcome = yield* Effect.result(read)
    if (Result.isSuccess(outcome)) return yield* accept(outcome.success)
    const now = yield* Clock.currentTimeMillis
    failingSince ??= now
    if (good === undefined || now - failingSince >= KEPT_MILLIS) return yield* Effect.fail(outcome.failure)
    yield* complain(outcome.failure.message)
    return good
  })
  return yield* Effect.cachedWithTTL(load, (exit) => (Exit.isSuccess(exit) ? reloadEvery : Duration.zero))
})
