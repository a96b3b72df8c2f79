/**
 * The chains that the service is configured for, and all it asks of their nodes. Faults are injected here in tests, so
 * nothing else in the service may talk to a node.
 */
import { Context, type Effect, type Option, Schema, type Stream } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"

export class UnsupportedChain extends Schema.TaggedError<UnsupportedChain>()("UnsupportedChain", {
  chainId: Schema.Number
}) {
  override get message(): string {
    return `chain ${this.chainId} is not configured`
  }
}

/** The node did not answer, or not with what was asked: the state of things is unknown. Never says "it did not happen". */
export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  chainId: Schema.Number,
  method: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `chain ${this.chainId}: ${this.method} failed: ${this.detail}`
  }
}

/** The node executed the call, and it reverted. */
export class CallReverted extends Schema.TaggedError<CallReverted>()("CallReverted", {
  chainId: Schema.Number,
  /** Revert data; `0x` where the node gave none. */
  data: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `chain ${this.chainId}: execution reverted: ${this.detail}`
  }
}

/**
 * The node refused a signed transaction. `NonceTooLow` says that another transaction has used the nonce, perhaps one of ours
 * that was mined meanwhile; `Underpriced` that another one holds it, or that the pool or the base fee asks for more. An
 * ambiguous send is a {@link ChainUnavailable}, never a rejection.
 */
export class SendRejected extends Schema.TaggedError<SendRejected>()("SendRejected", {
  chainId: Schema.Number,
  reason: Schema.Literals(["NonceTooLow", "Underpriced", "InsufficientFunds", "Invalid"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `chain ${this.chainId}: transaction rejected (${this.reason}): ${this.detail}`
  }
}

export interface Block {
  readonly number: bigint
  readonly hash: Hash
  readonly parentHash: Hash
  /** UNIX seconds. */
  readonly timestamp: bigint
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
  readonly gasLimit: bigint
}

export interface Log {
  readonly address: Address.Address
  readonly topics: ReadonlyArray<Hash>
  readonly data: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hash
  readonly transactionHash: Hash
  /** Position in the block; moves in a reorg. */
  readonly logIndex: number
}

export interface Receipt {
  readonly transactionHash: Hash
  readonly blockNumber: bigint
  readonly blockHash: Hash
  readonly status: "success" | "reverted"
  readonly gasUsed: bigint
  /** Wei per gas. */
  readonly effectiveGasPrice: bigint
  /** Wei that an OP stack chain took beside the gas, for publishing the transaction on its base layer. */
  readonly dataFee?: bigint
  /** In the order of the transaction; the index in this array is the one that identifies a settlement. */
  readonly logs: ReadonlyArray<Log>
}

export interface CallRequest {
  readonly to: Address.Address
  readonly data: Hex
  readonly from?: Address.Address
  /** Wei. */
  readonly value?: bigint
  readonly gas?: bigint
  /** Sets the code of accounts for this call alone, such as an owner's delegation that is not yet on chain. */
  readonly codeOverrides?: ReadonlyArray<{ readonly address: Address.Address; readonly code: Hex }>
  /** Sets balances in wei for this call alone. */
  readonly balanceOverrides?: ReadonlyArray<{ readonly address: Address.Address; readonly balance: bigint }>
  readonly authorizationList?: ReadonlyArray<Authorization>
  /** The state to run on; `pending` unless told. */
  readonly block?: "pending" | "latest" | bigint
}

/** One call of a simulated sequence, with what it did. */
export interface SimulatedCall {
  readonly success: boolean
  readonly returnData: Hex
  readonly gasUsed: bigint
  readonly logs: ReadonlyArray<Pick<Log, "address" | "topics" | "data">>
}

/** EIP-1559 fees in wei per gas. */
export interface FeesPerGas {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** The base fee that the estimate rests on. */
  readonly baseFeePerGas: bigint
}

export interface AccountState {
  readonly code: Hex
  readonly pendingCount: bigint
}

/** One chain's node. */
export interface ChainClient {
  readonly chain: Chain
  /**
   * The newest block, and from then on every new head that was noticed, also after a reorg, where numbers may go back. Blocks
   * may be left out. It never ends and never fails: while the node does not answer, it is silent.
   */
  readonly heads: Stream.Stream<Block>
  readonly block: (which: "latest" | "pending" | bigint) => Effect.Effect<Option.Option<Block>, ChainUnavailable>
  readonly code: (address: Address.Address) => Effect.Effect<Hex, ChainUnavailable>
  /** Wei. */
  readonly balance: (address: Address.Address) => Effect.Effect<bigint, ChainUnavailable>
  /** At a number, as of the end of that block; nodes keep the state of the newest blocks only. */
  readonly transactionCount: (
    address: Address.Address,
    block: "latest" | "pending" | bigint
  ) => Effect.Effect<bigint, ChainUnavailable>
  /** Of many accounts at once, in their order: their code in the newest block, and their pending transaction count. */
  readonly accounts: (
    addresses: ReadonlyArray<Address.Address>
  ) => Effect.Effect<ReadonlyArray<AccountState>, ChainUnavailable>
  readonly call: (request: CallRequest) => Effect.Effect<Hex, CallReverted | ChainUnavailable>
  /** Runs calls one after another on the pending state, each seeing what those before it did (eth_simulateV1). */
  readonly simulate: (
    calls: ReadonlyArray<Omit<CallRequest, "block" | "authorizationList" | "codeOverrides" | "balanceOverrides">>,
    overrides?: Pick<CallRequest, "codeOverrides" | "balanceOverrides">
  ) => Effect.Effect<ReadonlyArray<SimulatedCall>, ChainUnavailable>
  readonly feesPerGas: Effect.Effect<FeesPerGas, ChainUnavailable>
  /** Hands over signed bytes. Succeeds too when the node already has them. */
  readonly send: (raw: Hex) => Effect.Effect<Hash, SendRejected | ChainUnavailable>
  readonly receipt: (hash: Hash) => Effect.Effect<Option.Option<Receipt>, ChainUnavailable>
  /** Canonical logs of the block range, both ends included. */
  readonly logs: (filter: {
    readonly address: Address.Address
    readonly topics: ReadonlyArray<Hash | ReadonlyArray<Hash> | null>
    readonly fromBlock: bigint
    readonly toBlock: bigint
  }) => Effect.Effect<ReadonlyArray<Log>, ChainUnavailable>
}

export class Chains extends Context.Service<
  Chains,
  {
    /** Every configured chain, in configuration order. */
    readonly all: ReadonlyArray<ChainClient>
    readonly get: (chainId: ChainId) => Effect.Effect<ChainClient, UnsupportedChain>
  }
>()("sweep/ports/Chains") {}
