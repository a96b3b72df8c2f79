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
import * as LastGoodSnapshot from "./LastGoodSnapshot.ts"
import type { Snapshot } from "./LastGoodSnapshot.ts"
import * as SdnXml from "./SdnXml.ts"
import * as ShrunkCopies from "./ShrunkCopies.ts"

/** Time in which a file that cannot be read any more is replaced by the last good copy, in milliseconds. */
const KEPT_MILLIS = 900_000

export interface Options {
  /** Path of the snapshot. */
  readonly path: string
  /** Time for which a parsed file is cached. */
  readonly reloadEvery?: Duration.Input
  /** Part of the addresses that may be missing from a newer copy, in percent. Default: 20. */
  readonly maxRemovedPercent?: number
  /** File in which the last good copy is kept for the next start. Default: none. */
  readonly keepIn?: string | undefined
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

/** Reads the file at a path. */
const reading = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  // Before the text, so that a file that changes meanwhile does not look younger than it is.
  const { mtime } = yield* files.stat(path)
  const text = yield* files.readFileString(path)
  const latest = (yield* Clock.currentTimeMillis) + LastGoodSnapshot.SKEW_MILLIS
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

/** Copies that are known. */
interface Known {
  /** The copy in use. */
  readonly good: Snapshot
  /** The last copy that was accepted. Later ones are compared with it, and not with what refused ones add. */
  readonly base: Snapshot
  readonly shrunk: ShrunkCopies.Shrunk | undefined
  /** Copies for the next start. */
  readonly kept: LastGoodSnapshot.Kept
}

const knownFrom = (kept: LastGoodSnapshot.Kept): Known => {
  const { base, shrunk } = kept
  const listed = new Set([...base.listed, ...(shrunk?.addresses ?? [])])
  return { good: { ...base, listed }, base, shrunk, kept }
}

/** Copies after one more. A copy that lacks too many addresses is compared with the last accepted one, and confirmed by later ones. */
const after = (known: Known | undefined, next: Snapshot, now: number, maxRemovedPercent: number): Known => {
  const whole = { base: next, shrunk: undefined }
  if (known === undefined) return { ...whole, good: next, kept: whole }
  const accepted = SanctionsList.replace(asList(known.base), asList(next), maxRemovedPercent)
  if (Result.isSuccess(accepted)) return { ...whole, good: next, kept: whole }
  const copy = { list: asList(next), madeAt: next.writtenAt }
  const shrunk = ShrunkCopies.after(known.shrunk, copy, now, maxRemovedPercent)
  const isConfirmed = ShrunkCopies.isConfirmed(shrunk, now)
  const good = joined(known.good, next, isConfirmed, SanctionsList.describe(accepted.failure))
  if (isConfirmed) return { good, base: good, shrunk, kept: whole }
  const { base } = known
  return { good, base, shrunk, kept: { base, shrunk: { ...shrunk, addresses: good.listed } } }
}

/**
 * Makes `read`, which reads the file at most once in `reloadEvery`, and `keep`, which keeps its copies for the next start. While a file
 * that was good cannot be read, the last good copy is in use for 15 minutes. Addresses that a much shorter copy lacks stay listed until a
 * copy has them again, or until a restart. With `keepIn`, only a restart after newer copies have agreed for a day lifts them.
 */
export const make = Effect.fnUntraced(function* ({
  keepIn,
  maxRemovedPercent = 20,
  path,
  reloadEvery = Duration.minutes(1)
}: Options) {
  const read = Effect.provideService(reading(path), FileSystem.FileSystem, yield* FileSystem.FileSystem)
  const file = keepIn === undefined ? undefined : yield* LastGoodSnapshot.make(path, keepIn)
  /** Copies that the file for the next start has. */
  let saved = file === undefined ? undefined : yield* file.load
  let known = saved === undefined ? undefined : knownFrom(saved)
  let hasRead = false
  /** UNIX milliseconds of the first of the failures in a row. */
  let failingSince: number | undefined
  let complained: string | undefined

  const complain = Effect.fnUntraced(function* (detail: string) {
    if (complained === detail) return
    complained = detail
    yield* Effect.annotateLogs(Effect.logWarning("sanctions.file_refused"), { path, detail })
  })

  const load = Effect.gen(function* () {
    const outcome = yield* Effect.result(read)
    const now = yield* Clock.currentTimeMillis
    if (Result.isSuccess(outcome)) {
      failingSince = undefined
      hasRead = true
      known = after(known, outcome.success, now, maxRemovedPercent)
      if (known.shrunk === undefined) complained = undefined
      else if (known.good.refusal !== undefined) yield* complain(known.good.refusal)
      return known.good
    }
    failingSince ??= now
    // A copy that only the last start has read does not stand in for a file that cannot be read.
    const isKept = hasRead && now - failingSince < KEPT_MILLIS
    if (known === undefined || !isKept) return yield* Effect.fail(outcome.failure)
    yield* complain(outcome.failure.message)
    return known.good
  })

  const keep = Effect.gen(function* () {
    if (file === undefined || known === undefined) return
    const { kept } = known
    if (saved !== undefined && LastGoodSnapshot.areSame(saved, kept)) return
    if (yield* file.save(kept)) saved = kept
  })

  const cached = yield* Effect.cachedWithTTL(load, (exit) => (Exit.isSuccess(exit) ? reloadEvery : Duration.zero))
  return { read: cached, keep }
})

/** Makes only `read` of {@link make}. */
export const reader = (options: Options) => Effect.map(make(options), ({ read }) => read)
