/** Gas limits of the relayer's transactions. */
import type { Hex } from "./Hex.ts"
import * as TransactionGas from "./TransactionGas.ts"

/**
 * Gas limit of a self-send, a transfer to oneself. It costs 21,000; some rollups add gas for publishing the calldata.
 */
export const SELF_SEND_GAS = 100_000n

/** Maximum gas limit of a transaction since the Osaka upgrade (EIP-7825: 2^24). */
export const TRANSACTION_GAS_CAP = 16_777_216n

/** Gas before the first item: the transaction itself, the cold entry contract, and decoding. */
const BATCH_BASE_GAS = 60_000n

/**
 * Gas of an item of a batch beside its own limit: its calldata, copying it, the cold account and delegate, and the
 * loop.
 */
const ITEM_OVERHEAD_GAS = 30_000n

/** Assumed gas of a sweep that has not been simulated; near the typical use. */
export const ASSUMED_SWEEP_GAS = 225_000n

/**
 * Gas of accounts and storage that a sweep finds warm behind others of its simulation (EIP-2929), and cold when it is
 * sent without them: some four accounts and fifteen slots of the token, the venue, its pool and the guard.
 */
const SHARED_ACCESS_GAS = 60_000n

/** Gas of a sweep: of its execution, with refunds not taken off, and charged in all by its quote. */
export interface SweepGas {
  readonly simulated: bigint
  readonly quoted: bigint
}

/** Gas of an execution that was simulated as the `index`-th of a sequence, as if it were the first. */
export const simulatedAlone = (gasUsed: bigint, index: number): bigint =>
  index === 0 ? gasUsed : gasUsed + SHARED_ACCESS_GAS

/** One tenth more, for state changes until inclusion. */
const withMargin = (gas: bigint): bigint => gas + gas / 10n

const atLeast = (gas: bigint, least: bigint): bigint => (gas > least ? gas : least)

/**
 * Gas that a quote reserves for its sweep; no gas limit is lower. Simulations do not include gas that is charged for
 * the bytes of the transaction. On chains with such gas the execution's own margin is added, with the fifth that
 * refunds may have taken off (EIP-3529).
 */
export const quotedGas = ({ dataGas, gas }: { readonly gas: bigint; readonly dataGas: bigint }): bigint =>
  dataGas === 0n ? gas : withMargin((gas * 5n) / 4n) + dataGas

/** Gas limit of a sweep that is sent alone with this calldata. */
export const sweepGasLimit = (sweep: SweepGas & { readonly data: Hex; readonly authorizations: number }): bigint =>
  atLeast(TransactionGas.required({ ...sweep, execution: withMargin(sweep.simulated) }), sweep.quoted)

/** Gas limit of a sweep inside a batch. The quoted gas includes that of a transaction, as additional margin. */
export const itemGasLimit = ({ quoted, simulated }: SweepGas): bigint => atLeast(withMargin(simulated), quoted)

/** Gas that an item adds to the limit of its batch. */
export const itemGas = (gasLimit: bigint, authorizations: number): bigint =>
  gasLimit + ITEM_OVERHEAD_GAS + TransactionGas.AUTHORIZATION_GAS * BigInt(authorizations)

/**
 * Gas limit of a batch whose items add this much. The entry gives each item at least its limit, but a call gets at most
 * 63/64 of the remaining gas (EIP-150), so the last item needs the missing part as well.
 */
export const batchGasLimit = (items: ReadonlyArray<bigint>): bigint =>
  items.reduce((sum, gas) => sum + gas, BATCH_BASE_GAS) +
  items.reduce((most, gas) => (gas > most ? gas : most), 0n) / 63n

/** Gas that the items of a batch may add, so that {@link batchGasLimit} stays within `total`. */
export const batchRoom = (total: bigint): bigint => {
  const room = ((total - BATCH_BASE_GAS) * 63n) / 64n
  return room > 0n ? room : 0n
}

/** Gas limit of a sweep in a simulation. A token that burns gas must not use up the gas of the others. */
export const simulationGasLimit = (quoted: bigint): bigint => 2n * quoted + SELF_SEND_GAS
