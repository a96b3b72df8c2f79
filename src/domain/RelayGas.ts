/** Gas limits of the relayer's transactions. */
import type { Hex } from "./Hex.ts"
import * as TransactionGas from "./TransactionGas.ts"

/**
 * Gas limit of a self-send, a transfer to oneself. It costs 21,000; some rollups add gas for publishing the calldata.
 */
export const SELF_SEND_GAS = 100_000n

/** Maximum gas limit of a transaction since the Osaka upgrade (EIP-7825: 2^24). */
export const TRANSACTION_GAS_CAP = 16_777_216n

/**
 * Gas limit with a margin above an estimate. The margin ends at the maximum of a transaction. An estimate above it stays as it is, so that
 * nodes refuse the transaction instead of running it out of gas.
 */
export const withinCap = (estimate: bigint, limit: bigint): bigint =>
  limit <= TRANSACTION_GAS_CAP ? limit : atLeast(estimate, TRANSACTION_GAS_CAP)

/** Gas before the first item of a batch: the transaction itself, the cold entry contract, and decoding. */
const BATCH_BASE_GAS = 60_000n

/** Gas of an item of a batch beside its own limit and its calldata: the cold account and delegate, and the loop. */
const ITEM_OVERHEAD_GAS = 20_000n

/**
 * Margin of a sweep's gas limit above the gas of its rehearsal, for state that changes until inclusion: one part in `share`, and
 * `extra`.
 */
export const LIMIT_MARGIN = { share: 10n, extra: 50_000n }

/** Assumed gas of a sweep that has not been simulated; near the typical use. */
export const ASSUMED_SWEEP_GAS = 225_000n

/**
 * Gas of accounts and storage that a sweep finds warm behind others of its simulation (EIP-2929), and cold when it is
 * sent without them: some four accounts and fifteen slots of the token, the venue, its pool and the guard.
 */
const SHARED_ACCESS_GAS = 60_000n

/** Gas of a sweep's execution. */
export interface SweepGas {
  /** Gas that it used in the last simulation, with refunds not taken off. */
  readonly simulated: bigint
  /** Gas limit that its quote fixed. */
  readonly limit: bigint
}

/** Gas of an execution that was simulated as the `index`-th of a sequence, as if it were the first. */
export const simulatedAlone = (gasUsed: bigint, index: number): bigint =>
  index === 0 ? gasUsed : gasUsed + SHARED_ACCESS_GAS

/** Gas limit of an execution that needed this much gas in its rehearsal. */
export const executionLimit = (rehearsed: bigint): bigint =>
  rehearsed + rehearsed / LIMIT_MARGIN.share + LIMIT_MARGIN.extra

/**
 * Gas limit of a sweep's execution that a quote fixes, from that of its rehearsal. On rollups that charge gas for the bytes of a
 * transaction, that gas is added.
 */
export const quotedGas = ({
  dataGas,
  limits
}: {
  readonly limits: { readonly execution: bigint }
  readonly dataGas: bigint
}): bigint => limits.execution + dataGas

/** Gas limit of the execution of a sweep whose limit `gas` has the gas for data in it. */
export const executionGas = ({ dataGas = 0n, gas }: { readonly gas: bigint; readonly dataGas?: bigint }): bigint =>
  gas - dataGas

/** True if an execution used so much of its gas limit that it may have failed because of the limit (EIP-150). */
export const mayBeOutOfGas = (gasUsed: bigint, gasLimit: bigint): boolean => gasUsed > gasLimit - gasLimit / 8n

/** Gas of `executeBatch` for each leg beside the leg's limit: the signature, its hash, its copy for the call, and a margin. */
const BATCH_CALL_GAS = 20_000n

/** Gas of one leg's hash among those that are signed. */
const LEG_HASH_GAS = 1_000n

/**
 * Gas limit of a call of `executeBatch` with legs of these limits, of `signed` legs in total. Each leg gets its whole limit (EIP-150).
 * One call of several legs never needs more than a call for each of them.
 */
export const batchCallGas = (limits: ReadonlyArray<bigint>, signed: number): bigint => {
  const most = limits.reduce((so, limit) => (limit > so ? limit : so), 0n)
  const ofLegs = limits.reduce((sum, limit) => sum + limit + BATCH_CALL_GAS, 0n)
  return ofLegs + LEG_HASH_GAS * BigInt(signed) + most / 63n
}

/** A sweep as a transaction carries it. */
export interface Carried {
  /** Gas limit of its execution. */
  readonly gasLimit: bigint
  readonly data: Hex
  readonly authorizations: number
}

/** Gas limit of the transaction of a sweep that is sent alone. */
export const sweepGasLimit = ({ authorizations, data, gasLimit }: Carried): bigint =>
  TransactionGas.required({ data, execution: gasLimit, authorizations })

/** Gas of a sweep through the entry beside that of its call: what surrounds its calldata, its cold delegate, and the loop. */
const ENTRY_GAS = 5_300n

/**
 * Gas that a sweep with a new delegation costs more than in a transaction to its account: it goes through the entry, which checks the
 * account's code and copies its `bytes` of calldata.
 */
export const entryGas = (bytes: number): bigint => {
  const words = BigInt(Math.ceil(bytes / 32))
  // The copy, and the memory for it (yellow paper, C_mem).
  return ENTRY_GAS + 6n * words + (words * words) / 512n
}

/** Gas that an item adds to the limit of its batch. */
export const itemGas = ({ authorizations, data, gasLimit }: Carried): bigint => {
  const { floor, gas } = TransactionGas.ofCalldata(data)
  return atLeast(gasLimit + ITEM_OVERHEAD_GAS + gas, floor) + TransactionGas.AUTHORIZATION_GAS * BigInt(authorizations)
}

/** Gas that a leg adds at most to an item whose call runs other legs of its batch. `bytes`: calldata that it adds. */
export const legGas = (limit: bigint, bytes: number): bigint => {
  const { floor, gas } = TransactionGas.mostCalldataGas(bytes)
  return atLeast(limit + limit / 63n + BATCH_CALL_GAS + gas, floor)
}

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

const atLeast = (gas: bigint, least: bigint): bigint => (gas > least ? gas : least)
