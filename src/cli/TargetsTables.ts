/** Swap targets of the guards as rows and as text. Pure. */
import { Schema } from "effect"
import * as Address from "../domain/Address.ts"
import type { Chain } from "../domain/Chain.ts"
import { ChainId } from "../domain/ChainId.ts"
import {
  ActiveFrom,
  type NamedTarget,
  stateOf,
  TargetKind,
  type TargetListing,
  TargetState
} from "../domain/SwapTarget.ts"
import { table } from "./Table.ts"

export const TargetRow = Schema.Struct({
  chainId: ChainId,
  address: Address.Address,
  /** Absent for a target that only the guard's events name. */
  name: Schema.optionalKey(Schema.String),
  /** Absent if neither the chains file nor the guard tells it. */
  kind: Schema.optionalKey(TargetKind),
  state: TargetState,
  /** UNIX seconds from which sweeps may call the target. 0 if it is not listed. */
  activeFrom: ActiveFrom,
  expiresAt: Schema.optionalKey(Schema.String)
})
export type TargetRow = typeof TargetRow.Type

export const TargetRows = Schema.Array(TargetRow)

/** Every target that the chain's entry names, each once. */
export const named = (chain: Chain): ReadonlyArray<NamedTarget> => {
  const own = (address: Address.Address | undefined, name: string, kind: TargetKind): ReadonlyArray<NamedTarget> =>
    address === undefined ? [] : [{ address, name, kind }]
  const all = [
    ...(chain.targets ?? []),
    ...own(chain.swapRouter, "swapRouter", "router"),
    ...(chain.venues ?? []).flatMap(({ name, router }) => own(router, name, "router")),
    ...own(chain.spokePool, "spokePool", "bridge"),
    ...own(chain.spokePoolPeriphery, "spokePoolPeriphery", "bridge")
  ]
  return all.filter(({ address }, index) => all.findIndex((other) => other.address === address) === index)
}

/** The row of a target. The guard's word on the kind counts before that of the chains file. */
export const row = (
  chain: Chain,
  listing: TargetListing,
  { kindByEvent, nowMs }: { readonly kindByEvent: TargetKind | undefined; readonly nowMs: number }
): TargetRow => {
  const entry = named(chain).find(({ address }) => address === listing.address)
  const kind = listing.kind ?? kindByEvent ?? entry?.kind
  return {
    chainId: chain.id,
    address: listing.address,
    ...(entry === undefined ? {} : { name: entry.name }),
    ...(kind === undefined ? {} : { kind }),
    state: stateOf(listing, entry, nowMs),
    activeFrom: listing.activeFrom,
    ...(entry?.expiresAt === undefined ? {} : { expiresAt: entry.expiresAt })
  }
}

const when = (seconds: bigint): string =>
  seconds === 0n ? "–" : new Date(Number(seconds) * 1_000).toISOString().replace(".000Z", "Z")

const COLUMNS = ["CHAIN", "NAME", "TARGET", "KIND", "STATE", "ACTIVE FROM", "EXPIRES"]

export const asTable = (rows: typeof TargetRows.Type): string =>
  table(
    COLUMNS,
    rows.map(({ activeFrom, address, chainId, expiresAt = "–", kind = "–", name = "–", state }) => [
      String(chainId),
      name,
      address,
      kind,
      state,
      when(activeFrom),
      expiresAt
    ]),
    "no targets"
  )
