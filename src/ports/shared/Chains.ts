/** The configured chains and every request to their nodes. No other port talks to a node, so tests inject node failures here. */
import { Context, type Effect, type Option, Schema, type Stream } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { Corroborating } from "./Corroborating.ts"
import type { SimulatedCall, SimulatedStep, Surroundings } from "./Simulation.ts"

/** The chain id is not configured. */
export class UnsupportedChain extends Schema.TaggedError<UnsupportedChain>()("UnsupportedChain", {
  chainId: Schema.Number
}) {
  override get message(): string {
    return `chain ${this.chainId} is not configured`
  }
}

/** Reason for which a node refuses a signed transaction. */
export const SendRefusal = Schema.Literals([
  /** A mined transaction, perhaps one of the same lane, has used the nonce. */
  "NonceTooLow",
  /** The sender has to send a transaction with a lower nonce first. */
  "NonceGap",
  /** An account whose authorization it carries has transactions of its own in the pool (EIP-7702). */
  "AuthorityBusy",
  /** The sender is a delegated account, of which nodes keep one pending transaction. */
  "DelegatedSender",
  /** The pool keeps no more transactions of the sender. */
  "SenderFull",
  /** Another transaction holds the nonce, and this one pays too little more to replace it. */
  "ReplacementUnderpriced",
  /** The fees are below what the pool accepts. */
  "Underpriced",
  /** The fee cap is below the base fee. */
  "FeeCapTooLow",
  "InsufficientFunds",
  /** Nodes accept transactions of up to 128 KB. */
  "TooLarge",
  /** The gas limit is above that of a block or of a transaction. */
  "GasAboveBlock",
  /** The pool has no room. */
  "PoolFull",
  /** No node will accept it. */
  "Invalid"
])
export type SendRefusal = typeof SendRefusal.Type

/**
 * The node did not answer, or its answer was unusable. The result is unknown: a failed send may still have reached the
 * node.
 */
export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  chainId: Schema.Number,
  method: Schema.String,
  detail: Schema.String,
  /** True when a node answered that it does not have the block: nodes behind a load balancer have different heads. */
  isBlockUnknown: Schema.optionalKey(Schema.Boolean),
  /** True when two nodes gave answers that contradict each other. `detail` names both. */
  isContradiction: Schema.optionalKey(Schema.Boolean),
  /** True when a node ran a simulation that reverted as a whole. A smaller one may not revert. */
  isReverted: Schema.optionalKey(Schema.Boolean),
  /** Reason for which a node refused the transaction, while another one may have taken it. */
  refusal: Schema.optionalKey(SendRefusal)
}) {
  override get message(): string {
    return `chain ${this.chainId}: ${this.method} failed: ${this.detail}`
  }
}

/** The node executed the call, and the call reverted. */
export class CallReverted extends Schema.TaggedError<CallReverted>()("CallReverted", {
  chainId: Schema.Number,
  /** Revert data. `0x` if the node returned none. */
  data: Schema.String,
  detail: Schema.String,
  /** True if it needs more gas than the node lets a call or a transaction have. */
  isOutOfGas: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `chain ${this.chainId}: execution reverted: ${this.detail}`
  }
}

/**
 * Every node that was asked refused a signed transaction. A send whose outcome is unknown fails with
 * {@link ChainUnavailable} instead.
 */
export class SendRejected extends Schema.TaggedError<SendRejected>()("SendRejected", {
  chainId: Schema.Number,
  reason: SendRefusal,
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
  /** Account that receives the priority fees. Absent if the node does not tell it. */
  readonly coinbase?: Address.Address
  /** Randomness of the beacon chain (EIP-4399), or a constant on some rollups. Absent if the node does not tell it. */
  readonly randomness?: Hash
}

export interface Log {
  readonly address: Address.Address
  readonly topics: ReadonlyArray<Hash>
  readonly data: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hash
  readonly transactionHash: Hash
  /** Position in the block. A reorg can change it. */
  readonly logIndex: number
}

/** Blocks from one number to another, both included. */
export interface BlockRange {
  readonly fromBlock: bigint
  readonly toBlock: bigint
}

/** Logs to read. Topics match as in eth_getLogs: `null` matches any, a list matches one of its entries. */
export interface LogFilter extends BlockRange {
  /** The contracts whose logs are read. Empty: any contract. */
  readonly address: Address.Address | ReadonlyArray<Address.Address>
  readonly topics: ReadonlyArray<Hash | ReadonlyArray<Hash> | null>
  /** End of the range from which it is read. Default: `oldest`. */
  readonly order?: "oldest" | "newest"
  /** The read ends after a part that has such a log. Default: it reads the whole range. */
  readonly until?: (log: Log) => boolean
  /** Maximum number of requests. While the last one has no answer, each other endpoint may be sent one more. Default: 40. */
  readonly requests?: number
}

export interface ReadLogs {
  readonly logs: ReadonlyArray<Log>
  /** Rest of the range, which the read did not come to. Undefined if all is read. */
  readonly unread?: BlockRange
}

export interface Receipt {
  readonly transactionHash: Hash
  readonly blockNumber: bigint
  readonly blockHash: Hash
  readonly status: "success" | "reverted"
  readonly gasUsed: bigint
  /** Wei per gas. */
  readonly effectiveGasPrice: bigint
  /** Wei that an OP stack chain charged in addition to the gas, for publishing the transaction on its base layer. */
  readonly dataFee?: bigint
  /** In the order of the transaction. The index in this array identifies a settlement. */
  readonly logs: ReadonlyArray<Log>
}

/**
 * The canonical block with this hash (EIP-1898). Unlike a number, a hash names the same block on every node. A node that does
 * not have the block fails with {@link ChainUnavailable}.
 */
export interface BlockHash {
  readonly hash: Hash
}

export interface CallRequest {
  readonly to: Address.Address
  readonly data: Hex
  readonly from?: Address.Address
  /** Wei. */
  readonly value?: bigint
  readonly gas?: bigint
  /** Code of accounts during this call only, such as an owner's delegation that is not on chain yet. */
  readonly codeOverrides?: ReadonlyArray<{ readonly address: Address.Address; readonly code: Hex }>
  /** Balances in wei during this call only. */
  readonly balanceOverrides?: ReadonlyArray<{ readonly address: Address.Address; readonly balance: bigint }>
  readonly authorizationList?: ReadonlyArray<Authorization>
  /** State that the call runs on. Default: `latest`. On the pending block, a node may build a block for each call. */
  readonly block?: "latest" | bigint | BlockHash
}

/** EIP-1559 fees in wei per gas. */
export interface FeesPerGas {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** Base fee that the estimate is based on. */
  readonly baseFeePerGas: bigint
}

export interface AccountState {
  readonly code: Hex
  readonly pendingCount: bigint
}

/** Client of one chain's nodes. */
export interface ChainClient extends Corroborating<ChainUnavailable> {
  readonly chain: Chain
  /**
   * The latest block, then each new head that was noticed. Blocks may be skipped; after a reorg the numbers can go
   * back. The stream never ends and never fails: it emits nothing while no node answers.
   */
  readonly heads: Stream.Stream<Block>
  /**
   * The newest head that is known, at most `maxAgeMillis` old: from a subscription, from a reader of `heads`, or from an earlier
   * call. Asks a node only if there is none. The way to follow a chain without work at the cost of few requests.
   */
  readonly recentHead: (maxAgeMillis: number) => Effect.Effect<Option.Option<Block>, ChainUnavailable>
  /**
   * False if each endpoint failed when it was last asked, in the last 30 seconds. Asks nothing, so that reads for users can leave
   * the chain out at once.
   */
  readonly isAnswering: Effect.Effect<boolean>
  /** Hosts of the endpoints that serve another chain, or showed blocks that the others do not have. They are avoided. Asks nothing. */
  readonly elsewhere: Effect.Effect<ReadonlyArray<string>>
  /** Header of a block; none if the chain does not have the block. */
  readonly block: (which: "latest" | bigint) => Effect.Effect<Option.Option<Block>, ChainUnavailable>
  /** Code in the latest block. `0x` if there is none, and with `everywhere` only if two endpoints, or the only one, have none. */
  readonly code: (address: Address.Address, scope?: "everywhere") => Effect.Effect<Hex, ChainUnavailable>
  /** Balance in wei in the latest block. */
  readonly balance: (address: Address.Address) => Effect.Effect<bigint, ChainUnavailable>
  /**
   * Number of transactions the account has sent, and so its next nonce. At a block: as of the end of that block; nodes
   * keep the state of recent blocks only.
   */
  readonly transactionCount: (
    address: Address.Address,
    block: "latest" | "pending" | bigint | BlockHash
  ) => Effect.Effect<bigint, ChainUnavailable>
  /**
   * Hash of the transaction by which an account used a nonce, in the block with this number or one of the 4,096 before it.
   * None if there is no such transaction. Reads blocks and state only, which a node may show before receipts.
   */
  readonly transactionOf: (
    address: Address.Address,
    nonce: bigint,
    lastBlock: bigint
  ) => Effect.Effect<Option.Option<Hash>, ChainUnavailable>
  /** Code in the latest block and pending transaction count of many accounts, in their order, in one request. */
  readonly accounts: (
    addresses: ReadonlyArray<Address.Address>
  ) => Effect.Effect<ReadonlyArray<AccountState>, ChainUnavailable>
  /** Return data of a call (eth_call). */
  readonly call: (request: CallRequest) => Effect.Effect<Hex, CallReverted | ChainUnavailable>
  /**
   * Runs calls in order on the latest state, in one `eth_call` with state overrides. Each sees the effects of those before
   * it, also what they left warm (EIP-2929), and has its callee warm as the recipient of a transaction is.
   */
  readonly simulate: (
    steps: ReadonlyArray<SimulatedStep>,
    options?: Pick<CallRequest, "codeOverrides" | "balanceOverrides"> & {
      /**
       * Surroundings of the calls. On nodes without block overrides only the sender, its balance and the fees are theirs. Default:
       * the first sender of the sequence, in the latest block, without fees.
       */
      readonly within?: Surroundings
      /**
       * Undoes each call before the next, so that each has the result and the gas that it has alone. Fails if several calls need
       * more than 2,000,000 gas. Default: false.
       */
      readonly isApart?: boolean
    }
  ) => Effect.Effect<ReadonlyArray<SimulatedCall>, ChainUnavailable>
  /**
   * False if no endpoint takes state overrides in `eth_call`, without which `simulate` and `call` with overrides fail. Endpoints
   * are asked at most once in an hour, those that refused after five minutes.
   */
  readonly canSimulate: Effect.Effect<boolean, ChainUnavailable>
  /** Gas that a transaction of this content must be granted, on the latest state (eth_estimateGas). */
  readonly estimateGas: (
    transaction: Pick<CallRequest, "to" | "data" | "from" | "value">
  ) => Effect.Effect<bigint, CallReverted | ChainUnavailable>
  /** Current fee estimate. */
  readonly feesPerGas: Effect.Effect<FeesPerGas, ChainUnavailable>
  /** Sends a signed transaction and returns its hash. Idempotent: succeeds if the node already has the transaction. */
  readonly send: (raw: Hex) => Effect.Effect<Hash, SendRejected | ChainUnavailable>
  /**
   * Receipt of a transaction; none if it is not in a canonical block. `everywhere` asks all endpoints at once and returns
   * none only if two of them, or the only one, have no receipt.
   */
  readonly receipt: (hash: Hash, scope?: "everywhere") => Effect.Effect<Option.Option<Receipt>, ChainUnavailable>
  /** Canonical logs of the filter's range, in the order of the chain for each part. */
  readonly logs: (filter: LogFilter) => Effect.Effect<ReadLogs, ChainUnavailable>
}

export class Chains extends Context.Service<
  Chains,
  {
    /** Every configured chain, in configuration order. */
    readonly all: ReadonlyArray<ChainClient>
    /** Client of a chain. */
    readonly get: (chainId: ChainId) => Effect.Effect<ChainClient, UnsupportedChain>
  }
>()("sweep/ports/Chains") {}
