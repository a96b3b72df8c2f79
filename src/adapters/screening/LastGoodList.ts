/**
 * Keeps the last good downloaded list in a file, so that a restart does not wait for a download, and compares the next list with it.
 * Later copies that lack too many of its addresses are kept beside it, so that a restart forgets neither them nor since when they agree.
 * The day of publication is not kept: a list with a wrong one must not refuse all later lists for good.
 */
import { Clock, Duration, Effect, FileSystem, Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import type { SanctionsList } from "../../domain/SanctionsList.ts"
import type * as ShrunkCopies from "./ShrunkCopies.ts"

/** A list, and the time at which it was downloaded, in UNIX milliseconds. */
export interface Dated {
  readonly list: SanctionsList
  readonly checkedAt: number
}

/** Copies in a row that lack too many addresses, and all addresses that such copies had. */
export interface Shrunk extends ShrunkCopies.Shrunk {
  readonly addresses: ReadonlySet<Address.Address>
}

/** The last good list, and the later copies that lack too many of its addresses. */
export interface Kept extends Dated {
  readonly shrunk: Shrunk | undefined
}

const Time = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Addresses = Schema.Array(Address.Address).check(Schema.isMinLength(1))

const Content = Schema.fromJsonString(
  Schema.Struct({
    checkedAt: Time,
    /** All that block. Releases that do not know `shrunk` read no more than these. */
    addresses: Addresses,
    shrunk: Schema.optionalKey(
      Schema.Struct({
        sinceMillis: Time,
        firstMadeAt: Schema.optionalKey(Time),
        first: Addresses,
        newest: Addresses,
        /** Addresses that the last good list lacks. */
        added: Schema.Array(Address.Address)
      })
    )
  })
)
type Content = typeof Content.Type

const asList = (addresses: Iterable<Address.Address>): SanctionsList => ({
  addresses: new Set(addresses),
  publishedOn: undefined
})

/** A time in the future, from a clock that was wrong, counts as now. */
const past = (millis: number, now: number): number => Math.min(millis, now)

const shrunkOf = ({ added, first, firstMadeAt, newest, sinceMillis }: NonNullable<Content["shrunk"]>, now: number) => ({
  sinceMillis: past(sinceMillis, now),
  firstMadeAt: firstMadeAt === undefined ? undefined : past(firstMadeAt, now),
  first: asList(first),
  newest: { list: asList(newest), madeAt: undefined },
  addresses: new Set([...added, ...first, ...newest])
})

const keptOf = ({ addresses, checkedAt, shrunk }: Content, now: number): Kept => {
  const added = new Set(shrunk?.added)
  return {
    list: asList(addresses.filter((address) => !added.has(address))),
    checkedAt,
    shrunk: shrunk === undefined ? undefined : shrunkOf(shrunk, now)
  }
}

const contentOf = ({ checkedAt, list, shrunk }: Kept): Content => {
  if (shrunk === undefined) return { checkedAt, addresses: [...list.addresses] }
  const { first, firstMadeAt, newest, sinceMillis } = shrunk
  const added = [...shrunk.addresses].filter((address) => !list.addresses.has(address))
  return {
    checkedAt,
    addresses: [...list.addresses, ...added],
    shrunk: {
      sinceMillis,
      ...(firstMadeAt === undefined ? {} : { firstMadeAt }),
      first: [...first.addresses],
      newest: [...newest.list.addresses],
      added
    }
  }
}

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
    const content = yield* decode(yield* files.readFileString(path))
    const now = yield* Clock.currentTimeMillis
    // It would count as fresh for too long.
    if (content.checkedAt > now) return yield* Effect.fail({ message: "it is from the future" })
    return keptOf(content, now)
  })

  // Another process must never read a half of a list.
  const write = Effect.fnUntraced(function* (kept: Kept) {
    const temporary = yield* files.makeTempFileScoped({ directory: directoryOf(path), prefix: "sanctions-" })
    yield* files.writeFileString(temporary, yield* encode(contentOf(kept)))
    yield* files.rename(temporary, path)
  }, Effect.scoped)

  return {
    load: read.pipe(Effect.timeoutOrElse(tooSlow), Effect.catch(complain("sanctions.kept_list_unread"))),
    save: (kept: Kept) =>
      write(kept).pipe(Effect.timeoutOrElse(tooSlow), Effect.catch(complain("sanctions.kept_list_unwritten")))
  }
})
