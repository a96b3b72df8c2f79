/** Intents with what holds them up, for the operator. Reads alone. */
import { Context, type Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { IntentStatus } from "../../domain/Intent.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** The unfinished transaction that carries a submitted intent. */
export interface Carrier {
  readonly lane: Address.Address
  readonly nonce: bigint
  /** `cancel`: it was replaced by a self-send, since its sweeps cannot settle in time. */
  readonly kind: "sweep" | "cancel"
  /** Its newest version. */
  readonly hash: Hash
  readonly signedAtMs: number
  /** When a node was last handed that version; absent before the first time. */
  readonly broadcastAtMs?: number
  /** Wei per gas. */
  readonly maxFeePerGas: bigint
  /** How many versions of it were signed. */
  readonly versions: number
  /** The block that holds it; absent while none does. */
  readonly blockNumber?: bigint
  /** Transactions of its lane that must be mined before it. */
  readonly behind: number
}

export interface HeldIntent {
  readonly id: string
  readonly status: IntentStatus
  readonly owner: Address.Address
  readonly sourceChainId: ChainId
  readonly destChainId: ChainId
  readonly builderId?: string
  /** The venue or bridge. */
  readonly provider: string
  /** How long the whole sweep was expected to take when it was quoted. */
  readonly estimatedSeconds: number
  /** Absent before it was submitted. */
  readonly submittedAtMs?: number
  readonly updatedAtMs: number
  /** UNIX seconds. */
  readonly deadline: bigint
  readonly txHash?: Hash
  readonly carrier?: Carrier
  /** While a worker has it. */
  readonly leasedUntilMs?: number
  /** While it rests. */
  readonly restsUntilMs?: number
  /** Another intent of its owner on its chain, for which it waits in the queue. */
  readonly ownersOther?: string
}

export class HeldIntents extends Context.Service<
  HeldIntents,
  {
    /**
     * Those that were submitted at or before `beforeMs` and have not settled, that rest, or that settled and were not
     * delivered although that, and as many seconds as were estimated, had passed by then. Oldest submission first.
     */
    readonly stuck: (query: {
      readonly beforeMs: number
      readonly limit: number
    }) => Effect.Effect<{ readonly intents: ReadonlyArray<HeldIntent>; readonly total: number }, StoreUnavailable>
    /** One intent, stuck or not. */
    readonly find: (id: string) => Effect.Effect<Option.Option<HeldIntent>, StoreUnavailable>
  }
>()("sweep/ports/HeldIntents") {}
