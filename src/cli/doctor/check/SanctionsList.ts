/** Checks the sanctions lists of the settings: that they can be read, are recent, and survive a restart. */
import { Clock, Effect, FileSystem, Option, Path, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import * as LastGoodList from "../../../adapters/screening/LastGoodList.ts"
import * as OfacSnapshot from "../../../adapters/screening/OfacSnapshot.ts"
import { screening } from "../../../config/orchestrator/Screening.ts"
import { type Finding, found } from "../../../domain/doctor/Finding.ts"
import * as Sanctions from "../../../domain/doctor/Sanctions.ts"
import type { Check } from "../Check.ts"
import { outcomeOf } from "../Outcome.ts"

/** A file of the operator. Beside a download, its age counts only as that of a copy of OFAC's list. */
const ofFile = Effect.fnUntraced(function* (path: string, hasDownload: boolean) {
  const now = yield* Clock.currentTimeMillis
  const read = yield* Effect.result(yield* OfacSnapshot.reader({ path }))
  const facts = { setting: screening.ofacSnapshot.name, countsAge: !hasDownload }
  if (Result.isFailure(read)) {
    const failure = read.failure.message
    return {
      finding: Sanctions.judgeList({ ...facts, failure, addresses: 0, ageMillis: undefined }),
      ofacAgeMillis: undefined
    }
  }
  const { isOfac, listed, writtenAt } = read.success
  const ageMillis = writtenAt === undefined ? undefined : now - writtenAt
  return {
    finding: Sanctions.judgeList({ ...facts, failure: undefined, addresses: listed.size, ageMillis }),
    ofacAgeMillis: isOfac ? ageMillis : undefined
  }
})

/** The list itself has 100 MB and more, so only its headers are asked for. */
const ofDownload = Effect.fnUntraced(function* (
  url: URL
): Effect.fn.Return<ReadonlyArray<Finding>, never, Effect.Services<ReturnType<typeof outcomeOf>>> {
  const outcome = yield* outcomeOf(HttpClientRequest.head(url.href))
  const { name } = screening.ofacSnapshotUrl
  if (outcome._tag === "Silent") return [found(Sanctions.kinds.downloadFails, name, outcome.detail)]
  // OFAC answers with a redirect to its storage.
  return outcome.status < 400 || outcome.status === 405
    ? []
    : [found(Sanctions.kinds.downloadFails, name, `HTTP ${outcome.status}`)]
})

/** The last good download. Screening goes by the newest copy of OFAC's list, which may be that of the operator's file. */
const ofKept = Effect.fnUntraced(function* (file: Option.Option<string>, fileAgeMillis: number | undefined) {
  const { name } = screening.ofacLastListFile
  if (Option.isNone(file)) return [found(Sanctions.kinds.notKept, name, "it is not set")]
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const folder = path.dirname(file.value)
  const canWrite = yield* Effect.isSuccess(fs.access(folder, { writable: true }))
  if (!canWrite) return [found(Sanctions.kinds.notKept, name, `the folder ${folder} cannot be written`)]
  const kept = yield* (yield* LastGoodList.make(file.value)).load
  if (kept === undefined) return [found(Sanctions.kinds.notKept, name, "it has no list yet")]
  const keptAgeMillis = (yield* Clock.currentTimeMillis) - kept.checkedAt
  const ageMillis = Math.min(keptAgeMillis, fileAgeMillis ?? keptAgeMillis)
  const addresses = kept.list.addresses.size
  return [Sanctions.judgeList({ setting: name, failure: undefined, addresses, ageMillis, countsAge: true })]
})

export const sanctionsList: Check = {
  name: "sanctions list",
  services: ["orchestrator"],
  findings: Effect.fnUntraced(function* () {
    const file = yield* screening.ofacSnapshot.config
    const url = yield* screening.ofacSnapshotUrl.config
    const last = yield* screening.ofacLastListFile.config
    const inFile = Option.isSome(file) ? yield* ofFile(file.value, Option.isSome(url)) : undefined
    const downloaded = Option.isSome(url)
      ? [...(yield* ofDownload(url.value)), ...(yield* ofKept(last, inFile?.ofacAgeMillis))]
      : []
    return [...(inFile === undefined ? [] : [inFile.finding]), ...downloaded]
  })
}
