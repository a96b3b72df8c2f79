/** Checks the sanctions lists of the settings: that they can be read, are recent, and survive a restart. */
import { Clock, Effect, FileSystem, Option, Path } from "effect"
import { HttpClientRequest } from "effect/http"
import * as LastGoodList from "../../../adapters/screening/LastGoodList.ts"
import * as OfacSnapshot from "../../../adapters/screening/OfacSnapshot.ts"
import { screening } from "../../../config/orchestrator/Screening.ts"
import { type Finding, found } from "../../../domain/doctor/Finding.ts"
import * as Sanctions from "../../../domain/doctor/Sanctions.ts"
import type { Check } from "../Check.ts"
import { outcomeOf } from "../Outcome.ts"

const ofFile = Effect.fnUntraced(function* (path: string) {
  const now = yield* Clock.currentTimeMillis
  const read = yield* OfacSnapshot.reader({ path })
  return yield* Effect.match(read, {
    onFailure: ({ message }) =>
      Sanctions.judgeList({
        setting: screening.ofacSnapshot.name,
        failure: message,
        addresses: 0,
        ageMillis: undefined
      }),
    onSuccess: ({ listed, writtenAt }) =>
      Sanctions.judgeList({
        setting: screening.ofacSnapshot.name,
        failure: undefined,
        addresses: listed.size,
        ageMillis: writtenAt === undefined ? undefined : now - writtenAt
      })
  })
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

const ofKept = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const { name } = screening.ofacLastListFile
  if (Option.isNone(file)) return [found(Sanctions.kinds.notKept, name, "it is not set")]
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const folder = path.dirname(file.value)
  const canWrite = yield* Effect.isSuccess(fs.access(folder, { writable: true }))
  if (!canWrite) return [found(Sanctions.kinds.notKept, name, `the folder ${folder} cannot be written`)]
  const kept = yield* (yield* LastGoodList.make(file.value)).load
  if (kept === undefined) return [found(Sanctions.kinds.notKept, name, "it has no list yet")]
  const ageMillis = (yield* Clock.currentTimeMillis) - kept.checkedAt
  return [Sanctions.judgeList({ setting: name, failure: undefined, addresses: kept.list.addresses.size, ageMillis })]
})

export const sanctionsList: Check = {
  name: "sanctions list",
  services: ["orchestrator"],
  findings: Effect.fnUntraced(function* () {
    const file = yield* screening.ofacSnapshot.config
    const url = yield* screening.ofacSnapshotUrl.config
    const last = yield* screening.ofacLastListFile.config
    const inFile = Option.isSome(file) ? [yield* ofFile(file.value)] : []
    const downloaded = Option.isSome(url) ? [...(yield* ofDownload(url.value)), ...(yield* ofKept(last))] : []
    return [...inFile, ...downloaded]
  })
}
