/** Encodes calls of the project's contracts, and decodes their events, reverts and nonces. */
import { Context, type Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { RollupFee } from "../../domain/RollupFee.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import type { TargetListing } from "../../domain/SwapTarget.ts"
import type { Swept } from "../../domain/Swept.ts"
import type { CallRequest, ChainClient, ChainUnavailable, Log } from "../shared/Chains.ts"

/** One call of the entry's `run`. */
export interface RunItem {
  readonly account: Address.Address
  readonly gasLimit: bigint
  /** Calldata for the account. */
  readonly data: Hex
}

/** A call of `executeBatch`. */
export interface BatchCall {
  /** The legs that it runs, with their gas limits. */
  readonly legs: ReadonlyArray<{ readonly order: SweepOrder; readonly gasLimit: bigint }>
  /** Struct hashes of all signed legs. */
  readonly legHashes: ReadonlyArray<Hash>
  /** Position of the first of `legs` among the signed ones. */
  readonly first: number
  readonly signature: Hex
}

/** Decoded revert data of a sweep. */
export interface SweepRevert {
  /** Name of the Solidity error, e.g. `NonceUsed` or `Error`; `Unknown` if no ABI defines it. */
  readonly name: string
  /** For people: the error with its arguments, the reason inside `SwapFailed` decoded. At most 300 characters. */
  readonly text: string
}

/** A nonce of an owner, and the order that spent it. A cancellation has no order. */
export interface SpentNonce {
  readonly owner: Address.Address
  readonly nonce: bigint
  readonly orderHash?: Hash
}

export class SweepContracts extends Context.Service<
  SweepContracts,
  {
    /** Calldata of `execute(order, signature)`, which is sent to the order's owner, whose account runs the delegate. */
    readonly encodeExecute: (order: SweepOrder, signature: Hex) => Hex
    /** Calldata of `executeBatch`, which is sent to the owner. Its legs stand next to each other among those that are signed. */
    readonly encodeBatch: (call: BatchCall) => Hex
    /**
     * Calldata of the entry's `run`, which calls each account with its gas limit. A call that fails does not affect the
     * others.
     */
    readonly encodeRun: (items: ReadonlyArray<RunItem>) => Hex
    /** True for calldata of `run`. */
    readonly isRun: (data: Hex) => boolean
    /** Items of the calldata of `run`. Throws for any other calldata. */
    readonly decodeRun: (data: Hex) => ReadonlyArray<RunItem>
    /**
     * Nonces of the orders that a call of an account runs, `execute` or `executeBatch`. Empty without calldata. Throws for any other
     * calldata.
     */
    readonly decodeCall: (data: Hex) => ReadonlyArray<Pick<SweepOrder, "nonce">>
    /** The guard's `Swept` event in a log; none for any other log, including one that another contract forged. */
    readonly decodeSwept: (
      guard: Address.Address,
      log: Pick<Log, "address" | "topics" | "data">
    ) => Option.Option<Swept>
    /** Topics that select the settlement of an order among the guard's logs, from any sender. */
    readonly sweptTopics: (orderDigest: Hash) => ReadonlyArray<Hash>
    /** Nonce that the guard's event in a log spent: a `Swept` or a `Cancelled`. None for any other log. */
    readonly decodeSpent: (
      guard: Address.Address,
      log: Pick<Log, "address" | "topics" | "data">
    ) => Option.Option<SpentNonce>
    /** Topics of the events that spend an owner's nonces, one filter each. */
    readonly spentTopics: (owner: Address.Address) => ReadonlyArray<ReadonlyArray<Hash | null>>
    /** Decodes revert data. Never fails. */
    readonly decodeRevert: (data: Hex) => SweepRevert
    /**
     * 256 nonces of an owner in a guard: bit n of word w is set if nonce 256 w + n is spent (domain/OrderNonce). Default block:
     * `latest`. Default guard: the one that the nonces name (domain/Generations).
     */
    readonly nonceBitmap: (
      client: ChainClient,
      owner: Address.Address,
      word: bigint,
      block?: CallRequest["block"],
      guard?: Address.Address
    ) => Effect.Effect<bigint, ChainUnavailable>
    /**
     * Balance of an owner in the token's smallest unit, native currency included. 0 if the token does not answer, since
     * such a token cannot be swept either. Default block: `latest`.
     */
    readonly balanceOf: (
      client: ChainClient,
      token: Address.Address,
      owner: Address.Address,
      block?: CallRequest["block"]
    ) => Effect.Effect<bigint, ChainUnavailable>
    /**
     * Balances of an owner in many tokens in the latest block, in their order, by few requests. Native currency included. None for a token
     * that does not tell a balance. A token that burns the gas of a request fails it.
     */
    readonly balancesOf: (
      client: ChainClient,
      tokens: ReadonlyArray<Address.Address>,
      owner: Address.Address
    ) => Effect.Effect<ReadonlyArray<Option.Option<bigint>>, ChainUnavailable>
    /** State of addresses on the chain guard's list of swap targets, in their order. The kind of targets that are not active is absent. */
    readonly targets: (
      client: ChainClient,
      addresses: ReadonlyArray<Address.Address>
    ) => Effect.Effect<ReadonlyArray<TargetListing>, ChainUnavailable>
    /**
     * Fee of a rollup in addition to all gas for a transaction with this many bytes of calldata. Zero without a request on other
     * chains.
     */
    readonly rollupFee: (client: ChainClient, bytes: number) => Effect.Effect<RollupFee, ChainUnavailable>
  }
>()("sweep/ports/SweepContracts") {}
