/**
 * Keeps the last good downloaded list in a file, so that a restart does not wait for a download, and compares the next list with it.
 * Later copies that lack too many of its addresses are kept beside it, so that a restart forgets neither them nor since when they agree.
 * The day of publication is not kept: a list with a wrong one must not refuse all later lists for good.
 */
import { Effect, Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import type { SanctionsList } from "../../domain/SanctionsList.ts"
import * as KeptFile from "./KeptFile.ts"
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

/** UNIX milliseconds. */
export const Time = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
export const Addresses = Schema.Array(Address.Address).check(Schema.isMinLength(1))

export const ShrunkContent = Schema.Struct({
  sinceMillis: Time,
  firstMadeAt: Schema.optionalKey(Time),
  first: Addresses,
  newest: Addresses,
  /** Addresses that the last good list lacks. */
  added: Schema.Array(Address.Address)
})
type ShrunkContent = typeof ShrunkContent.Type

const Content = Schema.fromJsonString(
  Schema.Struct({
    checkedAt: Time,
    /** All that block. Releases that do not know `shrunk` read no more than these. */
    addresses: Addresses,
    shrunk: Schema.optionalKey(ShrunkContent)
  })
)
type Content = typeof Content.Type

const asList = (addresses: Iterable<Address.Address>): SanctionsList => ({
  addresses: new Set(addresses),
  publishedOn: undefined
})

/** A time in the future, from a clock that was wrong, counts as now. */
const past = (millis: number, now: number): number => Math.min(millis, now)

export const shrunkOf = ({ added, first, firstMadeAt, newest, sinceMillis }: ShrunkContent, now: number): Shrunk => ({
  sinceMillis: past(sinceMillis, now),
  firstMadeAt: firstMadeAt === undefined ? undefined : past(firstMadeAt, now),
  first: asList(first),
  newest: { list: asList(newest), madeAt: undefined },
  addresses: new Set([...added, ...first, ...newest])
})

/** Copies that lack too many addresses of this list. */
export const shrunkContentOf = (
  { addresses, first, firstMadeAt, newest, sinceMillis }: Shrunk,
  list: ReadonlySet<Address.Address>
): ShrunkContent => ({
  sinceMillis,
  ...(firstMadeAt === undefined ? {} : { firstMadeAt }),
  first: [...first.addresses],
  newest: [...newest.list.addresses],
  added: [...addresses].filter((address) => !list.has(address))
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
  const content = shrunkContentOf(shrunk, list.addresses)
  return { checkedAt, addresses: [...list.addresses, ...content.added], shrunk: content }
}

/** Makes `load`, which returns undefined if there is no list that can be used, and `save`. Neither fails. */
export const make = Effect.fnUntraced(function* (path: string) {
  const { load, save } = yield* KeptFile.make(path, Content, (content, now) =>
    // It would count as fresh for too long.
    content.checkedAt > now ? Effect.fail({ message: "it is from the future" }) : Effect.succeed(keptOf(content, now))
  )
  return { load, save: (kept: Kept) => save(contentOf(kept)) }
})
