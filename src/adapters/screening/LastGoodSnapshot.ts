/**
 * Keeps the last accepted copy of the operator's file for the next start, and the later copies that lack too many of its addresses. A
 * restart believes no damaged file, and does not forget since when copies agree.
 */
import { Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as KeptFile from "./KeptFile.ts"
import * as LastGoodList from "./LastGoodList.ts"

/** Largest lead of the file system's clock, in milliseconds. A later time of writing would count as fresh for too long. */
export const SKEW_MILLIS = 300_000

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

/** The last copy that was accepted, and the later ones that were not. */
export interface Kept {
  readonly base: Snapshot
  readonly shrunk: LastGoodList.Shrunk | undefined
}

const Content = Schema.fromJsonString(
  Schema.Struct({
    /** Path of the file. Another file is not compared with this copy. */
    path: Schema.String,
    writtenAt: Schema.optionalKey(LastGoodList.Time),
    isOfac: Schema.Boolean,
    addresses: LastGoodList.Addresses,
    shrunk: Schema.optionalKey(LastGoodList.ShrunkContent)
  })
)
type Content = typeof Content.Type

const keptOf = ({ addresses, isOfac, shrunk, writtenAt }: Content, now: number): Kept => ({
  base: {
    listed: new Set(addresses),
    writtenAt: writtenAt === undefined || writtenAt > now + SKEW_MILLIS ? undefined : writtenAt,
    isOfac
  },
  shrunk: shrunk === undefined ? undefined : LastGoodList.shrunkOf(shrunk, now)
})

const contentOf = (path: string, { base, shrunk }: Kept): Content => ({
  path,
  ...(base.writtenAt === undefined ? {} : { writtenAt: Math.max(0, Math.floor(base.writtenAt)) }),
  isOfac: base.isOfac,
  addresses: [...base.listed],
  ...(shrunk === undefined ? {} : { shrunk: LastGoodList.shrunkContentOf(shrunk, base.listed) })
})

type Listed = ReadonlySet<Address.Address>

const hasSame = (one: Listed, other: Listed): boolean =>
  one === other || (one.size === other.size && [...one].every((address) => other.has(address)))

const areSameShrunk = (one: LastGoodList.Shrunk | undefined, other: LastGoodList.Shrunk | undefined): boolean =>
  one === undefined || other === undefined
    ? one === other
    : one.sinceMillis === other.sinceMillis &&
      one.firstMadeAt === other.firstMadeAt &&
      hasSame(one.newest.list.addresses, other.newest.list.addresses) &&
      hasSame(one.addresses, other.addresses)

/** True if a file with one of them needs no change to have the other. */
export const areSame = (one: Kept, other: Kept): boolean =>
  one.base.writtenAt === other.base.writtenAt &&
  one.base.isOfac === other.base.isOfac &&
  hasSame(one.base.listed, other.base.listed) &&
  areSameShrunk(one.shrunk, other.shrunk)

/** Makes `load` and `save` for copies of the file at `path`, which are kept in another one. Neither fails. */
export const make = Effect.fnUntraced(function* (path: string, keepIn: string) {
  const { load, save } = yield* KeptFile.make(keepIn, Content, (content, now) =>
    Effect.succeed(content.path === path ? keptOf(content, now) : undefined)
  )
  return { load, save: (kept: Kept) => save(contentOf(path, kept)) }
})
