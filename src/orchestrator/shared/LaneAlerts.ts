/** Keys of alerts about lanes, and the alert that a lane cannot sign. */
import type { Address } from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { NewAlert } from "../../ports/shared/Alerts.ts"

/** A lane that holds its minimum, and less than a sweep may cost. Apart from that of its minimum, which a look at the lane clears. */
export const shortKey = (chainId: ChainId, lane: Address): string => `lane_low:${chainId}:${lane}:short`

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

/** Alert about a lane with pending transactions. */
export const cannotSign = ({ id, name }: Pick<Chain, "id" | "name">, lane: Address, detail: string): NewAlert => ({
  key: versionSigningKey(id, lane),
  severity: "critical",
  kind: "signing_failed",
  message: `Lane ${lane} on ${name} cannot sign. It takes no new batches until it signs again. Its pending transactions are sent again without changes, and sweeps that expire leave them. Check its key in RELAYER_KEYS and its signer.`,
  details: { chainId: id, lane, detail }
})
