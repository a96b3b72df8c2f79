/** How the service's own contracts are called and read: calldata, the `Swept` event, reverts and the guard's nonces. */
import { Context, type Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import type { Swept } from "../../domain/Swept.ts"
import type { CallRequest, ChainClient, ChainUnavailable, Log } from "../shared/Chains.ts"

/** Why a sweep reverts, as its revert data tells. */
export interface SweepRevert {
  /** The Solidity error, e.g. `NonceUsed` or `Error`; `Unknown` where neither ABI nor Solidity has one like it. */
  readonly name: string
  /** For people: the error with its arguments, the reason inside `SwapFailed` decoded, at most 300 characters. */
  readonly text: string
}

export class SweepContracts extends Context.Service<
  SweepContracts,
  {
    /** Calldata of `execute(order, signature)`; it is sent to the order's owner, whose account runs the delegate. */
    readonly encodeExecute: (order: SweepOrder, signature: Hex) => Hex
    /** Calldata of the entry's `run`, which calls each account with its gas limit; one that fails leaves the others alone. */
    readonly encodeRun: (
      items: ReadonlyArray<{ readonly account: Address.Address; readonly gasLimit: bigint; readonly data: Hex }>
    ) => Hex
    /** The guard's `Swept` event in a log; none for any other log, also for one that another contract forged. */
    readonly decodeSwept: (
      guard: Address.Address,
      log: Pick<Log, "address" | "topics" | "data">
    ) => Option.Option<Swept>
    /** The topics that find the settlement of an order among the guard's logs, whoever sent it. */
    readonly sweptTopics: (orderDigest: Hash) => ReadonlyArray<Hash>
    readonly decodeRevert: (data: Hex) => SweepRevert
    /** 256 nonces of an owner, as the chain's guard has them (`pending` unless told): bit n of word w is nonce 256 w + n (domain/OrderNonce). */
    readonly nonceBitmap: (
      client: ChainClient,
      owner: Address.Address,
      word: bigint,
      block?: CallRequest["block"]
    ) => Effect.Effect<bigint, ChainUnavailable>
    /**
     * What an owner holds of a token, native currency included, in its smallest unit. A token that cannot say counts as
     * none held, since such a token cannot be swept either.
     */
    readonly balanceOf: (
      client: ChainClient,
      token: Address.Address,
      owner: Address.Address,
      block?: CallRequest["block"]
    ) => Effect.Effect<bigint, ChainUnavailable>
  }
>()("sweep/ports/SweepContracts") {}
