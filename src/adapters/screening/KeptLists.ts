/**
 * {@link Screening} by the lists that this service keeps: a file of the operator, and OFAC's list, which it downloads. An address on
 * either is listed. Others are clear while OFAC's list is recent: the downloaded one, or that of a file in OFAC's format. Without a
 * download, the file must be recent, whatever its format. A list that was not read yet, or not for a week, blocks.
 */
import { Clock, Duration, Effect, Latch, Option, Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as SanctionsList from "../../domain/SanctionsList.ts"
import { RefreshFailed, type SanctionsLists } from "../../ports/orchestrator/SanctionsLists.ts"
import { Screening, ScreeningBlocked } from "../../ports/shared/Screening.ts"
import * as FailClosed from "./FailClosed.ts"
import * as LastGoodList from "./LastGoodList.ts"
import type { Snapshot } from "./LastGoodSnapshot.ts"
import * as OfacSnapshot from "./OfacSnapshot.ts"
import * as SanctionsDownload from "./SanctionsDownload.ts"
import * as ShrunkCopies from "./ShrunkCopies.ts"

export interface Options {
  /** File with a list. The service reads it again when it changes. */
  readonly file?: OfacSnapshot.Options | undefined
  /** OFAC's list, which {@link SanctionsLists} refreshes. */
  readonly download?: SanctionsDownload.Options | undefined
  /**
   * File in which the last good downloaded list is kept for the next start. The last good copy of `file` is kept beside it, with
   * `.snapshot` added to the name. Default: none.
   */
  readonly keepIn?: string | undefined
  /** Part of the addresses that may be missing from a newer list, in percent. Default: 20. */
  readonly maxRemovedPercent?: number
  /** Age at which a list blocks every request. Default: 7 days. */
  readonly maxAge?: Duration.Input
  /** Time for which a request waits for the first list. Default: 3 seconds. */
  readonly timeout?: Duration.Input
}

/** Pause between two attempts to keep the newest copies of the file. */
const KEEP_EVERY = Duration.minutes(5)

const newest = (...times: ReadonlyArray<number | undefined>): number | undefined =>
  times.reduce((latest, time) => (time === undefined || (latest ?? time) > time ? latest : time), undefined)

interface Downloads {
  /** The last list that was accepted. Later ones are compared with it. */
  readonly base: LastGoodList.Dated | undefined
  /** Later ones that lack too many of its addresses, and all addresses that such copies had. */
  readonly shrunk: LastGoodList.Shrunk | undefined
}

/** The list in use. Copies that lack too many addresses add their own until a list is accepted. */
const inUseOf = ({ base, shrunk }: Downloads): LastGoodList.Dated | undefined => {
  if (base === undefined || shrunk === undefined) return base
  return { ...base, list: { ...base.list, addresses: new Set([...base.list.addresses, ...shrunk.addresses]) } }
}

interface Accepted extends Downloads {
  /** List to keep for the next start. Absent if it does not change. */
  readonly kept?: LastGoodList.Kept
  readonly refusal?: SanctionsList.Refusal
}

/**
 * The list in use after a download. One that lacks too many addresses blocks its own at once, and lifts no sanctions until the next start.
 * Until it is confirmed, it is refused and makes the list in use no younger.
 */
const accepted = (
  { base, shrunk }: Downloads,
  { list: next, madeAt }: ShrunkCopies.Copy,
  now: number,
  maxRemovedPercent: number
): Accepted => {
  const outcome = SanctionsList.replace(base?.list, next, maxRemovedPercent)
  const whole = { list: next, checkedAt: now }
  if (Result.isSuccess(outcome)) return { base: whole, shrunk: undefined, kept: { ...whole, shrunk: undefined } }
  const refusal = outcome.failure
  if (base === undefined || refusal._tag !== "Shrunk") return { base, shrunk, refusal }
  const after = {
    ...ShrunkCopies.after(shrunk, { list: next, madeAt }, now, maxRemovedPercent),
    addresses: new Set([...(shrunk?.addresses ?? []), ...next.addresses])
  }
  if (!ShrunkCopies.isConfirmed(after, now)) return { base, shrunk: after, kept: { ...base, shrunk: after }, refusal }
  const addresses = new Set([...base.list.addresses, ...after.addresses])
  return {
    base: { list: { ...next, addresses }, checkedAt: now },
    shrunk: after,
    kept: { ...whole, shrunk: undefined }
  }
}

export const make = Effect.fnUntraced(function* (options: Options) {
  const { maxRemovedPercent = 20 } = options
  const maxAge = Duration.fromInputUnsafe(options.maxAge ?? Duration.days(7))
  const keepSnapshotIn = options.keepIn === undefined ? undefined : `${options.keepIn}.snapshot`
  const snapshot =
    options.file === undefined
      ? undefined
      : yield* OfacSnapshot.make({ maxRemovedPercent, keepIn: keepSnapshotIn, ...options.file })
  const file = snapshot?.read
  const download = options.download === undefined ? undefined : yield* SanctionsDownload.make(options.download)
  const kept =
    options.keepIn === undefined || download === undefined ? undefined : yield* LastGoodList.make(options.keepIn)
  const last = kept === undefined ? undefined : yield* kept.load
  let downloads: Downloads = { base: last, shrunk: last?.shrunk }
  let downloaded = inUseOf(downloads)
  const hasTried = Latch.makeUnsafe(download === undefined || downloaded !== undefined)

  const accept = Effect.fnUntraced(function* ({ list, madeAt }: ShrunkCopies.Copy) {
    const now = yield* Clock.currentTimeMillis
    const outcome = accepted(downloads, { list: SanctionsList.dated(list, now), madeAt }, now, maxRemovedPercent)
    downloads = outcome
    downloaded = inUseOf(outcome)
    return outcome
  })

  const refresh = Effect.gen(function* () {
    if (download === undefined) return Option.none<number>()
    const { kept: toKeep, refusal } = yield* Effect.ensuring(Effect.flatMap(download, accept), hasTried.open)
    if (kept !== undefined && toKeep !== undefined) yield* kept.save(toKeep)
    if (refusal !== undefined) return yield* new RefreshFailed({ detail: SanctionsList.describe(refusal) })
    return Option.map(Option.fromUndefinedOr(downloaded), ({ list }) => list.addresses.size)
  })

  /** Time of the newest copy of the list that must be recent. Another list in a file adds to OFAC's, and says nothing of its age. */
  const checkedAtOf = (inFile: Snapshot | undefined): number | undefined =>
    download === undefined
      ? inFile?.writtenAt
      : newest(inFile?.isOfac === true ? inFile.writtenAt : undefined, downloaded?.checkedAt)

  const clear = Effect.fn("KeptLists.clear")(
    function* (_chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
      if (addresses.length === 0) return
      yield* hasTried.await
      const fromFile = file === undefined ? undefined : yield* Effect.result(file)
      const inFile = fromFile !== undefined && Result.isSuccess(fromFile) ? fromFile.success : undefined
      const isListed = (address: Address.Address) =>
        downloaded?.list.addresses.has(address) === true || inFile?.listed.has(address) === true
      if (addresses.some(isListed)) return yield* new ScreeningBlocked({ cause: "listed" })
      // A file that stays unreadable may hold what no other list has.
      if (fromFile !== undefined && Result.isFailure(fromFile)) return yield* fromFile.failure
      const checkedAt = checkedAtOf(inFile)
      if (checkedAt === undefined) return yield* FailClosed.unavailable("no sanctions list of a known age was read yet")
      const now = yield* Clock.currentTimeMillis
      if (now - checkedAt > Duration.toMillis(maxAge)) {
        return yield* FailClosed.unavailable(`the sanctions list is older than ${Duration.format(maxAge)}`)
      }
    },
    FailClosed.guard("the sanctions list", options.timeout ?? Duration.seconds(3))
  )

  const age = Effect.gen(function* () {
    if (file === undefined && download === undefined) return Option.none()
    const read = file === undefined ? undefined : yield* Effect.result(file)
    const inFile = read !== undefined && Result.isSuccess(read) ? read.success : undefined
    const countsAge = download === undefined || inFile?.isOfac === true
    return Option.some({
      checkedAt: checkedAtOf(inFile),
      ...(countsAge && inFile?.refusal !== undefined ? { detail: `OFAC_SNAPSHOT: ${inFile.refusal}` } : {})
    })
  })

  /** Keeps the newest copies of the file. Neither requests nor reads of the age wait for it: the disk may not answer. */
  const keep = snapshot?.keep ?? Effect.void
  yield* Effect.sleep(KEEP_EVERY).pipe(Effect.andThen(keep), Effect.forever, Effect.forkScoped)

  const lists: SanctionsLists["Service"] = { age, refresh }
  return { screening: Screening.of({ clear }), lists, keep }
})
