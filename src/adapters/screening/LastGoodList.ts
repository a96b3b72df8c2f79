/**
 * Keeps the last good downloaded list in a file, so that a restart does not wait for a download, and compares the next list with it.
 * The day of publication is not kept: a list with a wrong one must not refuse all later lists for good.
 */
import { Clock, Duration, Effect, FileSystem, Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import type { SanctionsList } from "../../domain/SanctionsList.ts"

/** A list, and the time at which it was downloaded, in UNIX milliseconds. */
export interface Dated {
  readonly list: SanctionsList
  readonly checkedAt: number
}

const Content = Schema.fromJsonString(
  Schema.Struct({
    checkedAt: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    addresses: Schema.Array(Address.Address).check(Schema.isMinLength(1))
  })
)
const decode = Schema.decodeEffect(Content)
const encode = Schema.encodeEffect(Content)

/** Time for reading and for writing the file. A disk that does not answer must hold up neither the start nor the next download. */
const PATIENCE = Duration.seconds(3)

const directoryOf = (path: string): string => {
  const end = path.lastIndexOf("/")
  return end === -1 ? "." : path.slice(0, end + 1)
}

/** Makes `load`, which returns undefined if there is no list that can be used, and `save`. Neither fails. */
export const make = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem

  const complain = (event: string) => (error: { readonly message: string }) =>
    Effect.as(Effect.annotateLogs(Effect.logWarning(event), { path, detail: error.message }), undefined)
  const tooSlow = { duration: PATIENCE, orElse: () => Effect.fail({ message: "the disk does not answer" }) }

  const read = Effect.gen(function* () {
    if (!(yield* files.exists(path))) return undefined
    const { addresses, checkedAt } = yield* decode(yield* files.readFileString(path))
    // It would count as fresh for too long.
    if (checkedAt > (yield* Clock.currentTimeMillis)) return yield* Effect.fail({ message: "it is from the future" })
    return { list: { addresses: new Set(addresses), publishedOn: undefined }, checkedAt } satisfies Dated
  })

  // Another process must never read a half of a list.
  const write = Effect.fnUntraced(function* ({ checkedAt, list }: Dated) {
    const temporary = yield* files.makeTempFileScoped({ directory: directoryOf(path), prefix: "sanctions-" })
    yield* files.writeFileString(temporary, yield* encode({ checkedAt, addresses: [...list.addresses] }))
    yield* files.rename(temporary, path)
  }, Effect.scoped)

  return {
    load: read.pipe(Effect.timeoutOrElse(tooSlow), Effect.catch(complain("sanctions.kept_list_unread"))),
    save: (dated: Dated) =>
      write(dated).pipe(Effect.timeoutOrElse(tooSlow), Effect.catch(complain("sanctions.kept_list_unwritten")))
  }
})
