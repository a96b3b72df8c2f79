/** A service that states the risk of tokens. */
import { Duration, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Opinion } from "../../domain/TokenVerdict.ts"
import type { ProviderUnavailable } from "../providers/ProviderUnavailable.ts"

/** An opinion, and the milliseconds for which it still counts if another replica has asked for it. */
export interface Told extends Opinion {
  readonly remainingMillis?: number
}

export interface RiskService {
  readonly name: string
  readonly ask: (chainId: ChainId, token: Address.Address) => Effect.Effect<Told, ProviderUnavailable>
}

/** Taxes from which on a service's figure counts, in percent. */
export const SUSPICIOUS_TAX = 10
export const TRAP_TAX = 50

/**
 * Time limit of a request. It ends before the patience of a quote (1.5 seconds), because an interrupted request counts neither for nor against
 * a service, so that the circuit of a silent one would never open.
 */
export const DEADLINE = Duration.millis(1_400)
