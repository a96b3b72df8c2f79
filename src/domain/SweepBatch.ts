/**
 * A batch that an owner signs once: orders on any number of chains, each a leg (ERC-7964). The domain has no chain, since each leg names
 * its own. On a chain only that chain's orders travel, with the struct hashes of the other legs, and each leg settles or fails alone
 * (`executeBatch` of contracts/src/SweepDelegate.sol). A change here requires a change of the contracts.
 */
import { Schema } from "effect"
import { concatHex, hashStruct, hashTypedData, keccak256 } from "viem"
import type * as Address from "./Address.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import type { Hash } from "./Hex.ts"
import * as SweepOrder from "./SweepOrder.ts"

export const SweepLeg = Schema.Struct({
  chainId: described(ChainId, "Source chain of the order."),
  order: SweepOrder.SweepOrder
}).annotate({ identifier: "SweepLeg", description: "One order of a batch, with its source chain" })

export type SweepLeg = typeof SweepLeg.Type

/** Number of legs that one call of `executeBatch` runs at most: its result has one bit for each. */
export const MAX_LEGS_PER_CALL = 256

/** EIP-712 types of a batch, with the 14 fields of the order unchanged. */
export const TYPES = {
  SweepBatch: [{ name: "legs", type: "SweepLeg[]" }],
  SweepLeg: [
    { name: "chainId", type: "uint256" },
    { name: "order", type: "SweepOrder" }
  ],
  ...SweepOrder.TYPES
} as const

/** The legs in signing order. All orders have the same owner. */
export type Legs = readonly [SweepLeg, ...ReadonlyArray<SweepLeg>]

/** True if all legs have one owner, who signs. An order of another account would fail on chain. */
export const hasOneOwner = ([first, ...others]: Legs): boolean =>
  others.every(({ order }) => order.owner === first.order.owner)

const messageOf = ({ chainId, order }: SweepLeg) => ({ chainId: BigInt(chainId), order })

const domainOf = (name: string, owner: Address.Address) => ({
  name,
  version: SweepOrder.DOMAIN_VERSION,
  verifyingContract: owner
})

/** EIP-712 typed data that the owner signs. The verifying contract is the owner's own account, and the domain has no chain. */
export const typedData = (legs: Legs, domainName: string) => ({
  domain: domainOf(domainName, legs[0].order.owner),
  types: TYPES,
  primaryType: "SweepBatch" as const,
  message: { legs: legs.map(messageOf) }
})

/** Signed digest: keccak256(0x1901 ‖ domain separator ‖ struct hash of the batch). */
export const digest = (legs: Legs, domainName: string): Hash => hashTypedData(typedData(legs, domainName))

/** EIP-712 struct hash of a leg, which stands for it on other chains. */
export const legHash = (leg: SweepLeg): Hash =>
  hashStruct({ types: TYPES, primaryType: "SweepLeg", data: messageOf(leg) })

/** EIP-712 type of the batch with all that it refers to, and its hash. */
const BATCH_TYPE = `SweepBatch(SweepLeg[] legs)SweepLeg(uint256 chainId,SweepOrder order)SweepOrder(${SweepOrder.TYPES.SweepOrder.map(({ name, type }) => `${type} ${name}`).join(",")})`
const BATCH_TYPE_HASH = keccak256(new TextEncoder().encode(BATCH_TYPE))

/** EIP-712 struct hash of a batch of which only the hashes of the legs are known, in signing order. */
export const batchHash = (legHashes: ReadonlyArray<Hash>): Hash =>
  keccak256(concatHex([BATCH_TYPE_HASH, keccak256(concatHex([...legHashes]))]))
