/** Alerts about lanes, and their keys. */
import type { Address } from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { NewAlert } from "../../ports/shared/Alerts.ts"

/** A lane without its minimum balance. */
export const lowKey = (chainId: ChainId, lane: Address): string => `lane_low:${chainId}:${lane}`

/** A lane that holds its minimum, and less than a sweep may cost. Apart from that of its minimum, which a look at the lane clears. */
export const shortKey = (chainId: ChainId, lane: Address): string => `${lowKey(chainId, lane)}:short`

/** A lane that could not sign its last batch. The next signature clears it. */
export const signingKey = (chainId: ChainId, lane: Address): string => `signing_failed:${chainId}:${lane}`

/**
 * A lane that cannot sign other versions of its pending transactions. Apart from the alert of its batches, since each process renews it
 * while its own signer fails, and since it ends when nobody has to sign any more.
 */
export const versionSigningKey = (chainId: ChainId, lane: Address): string => `${signingKey(chainId, lane)}:version`

/** True for a key of {@link versionSigningKey} on this chain. */
export const isVersionSigningKey = (chainId: ChainId, key: string): boolean =>
  key.startsWith(`signing_failed:${chainId}:`) && key.endsWith(":version")

/** Alert about a lane that could not sign a new batch. */
export const cannotSignBatch = ({ id, name }: Pick<Chain, "id" | "name">, lane: Address, detail: string): NewAlert => ({
  key: signingKey(id, lane),
  severity: "critical",
  kind: "signing_failed",
  message: `Lane ${lane} on ${name} cannot sign. It takes no new batches until it signs again. Check its key in RELAYER_KEYS and its signer.`,
  details: { chainId: id, lane, detail }
})

/** Alert about a lane with pending transactions. */
export const cannotSign = ({ id, name }: Pick<Chain, "id" | "name">, lane: Address, detail: string): NewAlert => ({
  key: versionSigningKey(id, lane),
  severity: "critical",
  kind: "signing_failed",
  message: `Lane ${lane} on ${name} cannot sign. It takes no new batches until it signs again. Its pending transactions are sent again without changes, and sweeps that expire leave them. Check its key in RELAYER_KEYS and its signer.`,
  details: { chainId: id, lane, detail }
})

/** Alert for a lane whose balance does not cover its gas. */
export const laneLow = (chain: Chain, lane: Address, detail: string): NewAlert => ({
  key: lowKey(chain.id, lane),
  severity: "critical",
  kind: "lane_low",
  message: `Lane ${lane} on ${chain.name} is short of ${chain.nativeSymbol} for gas and sends nothing until it is refilled. If its balance left by transactions that the service did not send, the key may be stolen: replace it, and do not refill it.`,
  details: { chainId: chain.id, lane, detail }
})

/** A transaction that a lane cannot pay for. */
export interface Shortage {
  /** Balance in wei. */
  readonly balance: bigint
  /** Maximum cost of the transaction in wei. */
  readonly needed: bigint
  /** UNIX milliseconds. */
  readonly atMs: number
}

/**
 * Alert for a lane that has its minimum balance, and does not have what one transaction may cost. It stands beside that of {@link laneLow},
 * which a look at the lane clears.
 */
export const laneShort = (chain: Chain, lane: Address, { atMs, balance, needed }: Shortage): NewAlert => ({
  key: shortKey(chain.id, lane),
  severity: "critical",
  kind: "lane_low",
  message: `Lane ${lane} on ${chain.name} is short of ${chain.nativeSymbol} for a sweep at present fees. The sweep waits until the lane is refilled, or until another lane can pay for it.`,
  details: {
    chainId: chain.id,
    lane,
    detail: `it has ${balance} wei and the transaction may cost ${needed}`,
    neededWei: needed.toString(),
    shortAtMs: atMs
  }
})
