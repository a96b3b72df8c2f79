/** Gas limits of the relayer's transactions. */

/** Intrinsic gas of one authorization, whether or not the account exists (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
const AUTHORIZATION_GAS = 25_000n

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

/** Gas of a sweep: used in the simulation on the pending state, and assumed by its quote. */
export interface SweepGas {
  readonly simulated: bigint
  readonly quoted: bigint
}

/**
 * Gas limit for the execution of a sweep. A simulation reports gas net of refunds, which are at most a fifth of the
 * gross (EIP-3529), but the limit must cover the gross. One tenth is added for state changes until inclusion.
 */
const callGasLimit = ({ quoted, simulated }: SweepGas): bigint => {
  const gross = (simulated * 5n) / 4n
  const limit = gross + gross / 10n
  return limit > quoted ? limit : quoted
}

/**
 * Gas that a quote reserves for its sweep; no gas limit is lower. Simulations do not include gas that is charged for
 * the bytes of the transaction, so on chains with such gas the execution's own margin is added.
 */
export const quotedGas = ({ dataGas, gas }: { readonly gas: bigint; readonly dataGas: bigint }): bigint =>
  dataGas === 0n ? gas : callGasLimit({ simulated: gas, quoted: 0n }) + dataGas

/** Gas limit of a sweep that is sent alone. */
export const sweepGasLimit = (sweep: SweepGas & { readonly authorizations: number }): bigint => {
  const authorizing = AUTHORIZATION_GAS * BigInt(sweep.authorizations)
  const limit = callGasLimit({ simulated: sweep.simulated, quoted: 0n }) + authorizing
  return limit > sweep.quoted ? limit : sweep.quoted
}

/**
 * Gas limit of a sweep inside a batch. It was simulated alone, so it includes 21,000 of a transaction as additional
 * margin.
 */
export const itemGasLimit: (sweep: SweepGas) => bigint = callGasLimit

/** Gas that an item adds to the limit of its batch. */
export const itemGas = (gasLimit: bigint, authorizations: number): bigint =>
  gasLimit + ITEM_OVERHEAD_GAS + AUTHORIZATION_GAS * BigInt(authorizations)

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
