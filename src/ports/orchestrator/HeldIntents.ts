/** Read-only view of intents with the reasons why they wait, for the operator. */
import { Context, type Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { IntentStatus, WaitingFor } from "../../domain/Intent.ts"
import type { StoreUnavailable } from "../shared/Store.ts"
import type { GivenUp } from "./Intents.ts"

/** The unfinished transaction that carries a submitted intent. */
export interface Carrier {
  readonly lane: Address.Address
  readonly nonce: bigint
  /** `cancel`: the transaction was replaced by a self-send, since its sweeps cannot settle in time. */
  readonly kind: "sweep" | "cancel"
  /** Hash of the newest version. */
  readonly hash: Hash
  readonly signedAtMs: number
  /** Time when a node last received that version, in UNIX milliseconds. Absent before the first broadcast. */
  readonly broadcastAtMs?: number
  /** Wei per gas. */
  readonly maxFeePerGas: bigint
  /** Number of signed versions. */
  readonly versions: number
  /** Block that includes it. Absent while none does. */
  readonly blockNumber?: bigint
  /** Number of unmined transactions of its lane with a lower nonce. */
  readonly behind: number
}

/** An intent with everything that may delay it. */
export interface HeldIntent {
  readonly id: string
  readonly status: IntentStatus
  readonly owner: Address.Address
  readonly sourceChainId: ChainId
  readonly destChainId: ChainId
  readonly builderId?: string
  /** Name of the venue or the bridge. */
  readonly provider: string
  /** Expected duration of the whole sweep when it was quoted. */
  readonly estimatedSeconds: number
  /** UNIX milliseconds. Absent before the owner signed. */
  readonly submittedAtMs?: number
  readonly updatedAtMs: number
  /** UNIX seconds. */
  readonly deadline: bigint
  readonly txHash?: Hash
  readonly carrier?: Carrier
  /** End of a worker's lease in UNIX milliseconds. Absent without a lease. */
  readonly leasedUntilMs?: number
  /** Earliest time of the next attempt in UNIX milliseconds. Absent if it can be claimed now. */
  readonly restsUntilMs?: number
  /** Cause for which it was last given back to the queue. Absent if there is none to tell. */
  readonly waitingFor?: WaitingFor
  /** Reason for which it rests until its deadline. Absent if it is to be sent. */
  readonly givenUp?: GivenUp
  /** Id of another intent of the owner on the chain that goes first. Absent if there is none. */
  readonly ownersOther?: string
}

export class HeldIntents extends Context.Service<
  HeldIntents,
  {
    /**
     * Up to `limit` stuck intents, oldest submission first, and the number of all. An intent is stuck if it was
     * submitted at or before `beforeMs` (UNIX milliseconds) and has not settled, if it waits for its next attempt, or
     * if it settled and its estimated duration had passed by `beforeMs` without a delivery.
     */
    readonly stuck: (query: {
      readonly beforeMs: number
      readonly limit: number
    }) => Effect.Effect<{ readonly intents: ReadonlyArray<HeldIntent>; readonly total: number }, StoreUnavailable>
    /** One intent, stuck or not; none if the id is unknown. */
    readonly find: (id: string) => Effect.Effect<Option.Option<HeldIntent>, StoreUnavailable>
  }
>()("sweep/ports/HeldIntents") {}
