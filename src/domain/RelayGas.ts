/** Gas limits of the relayer's transactions. */

/** What an authorization is charged up front, whether or not the account exists (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
const AUTHORIZATION_GAS = 25_000n

/** A transfer costs 21,000; some rollups charge the calldata's way to their base layer as gas on top. */
export const SELF_SEND_GAS = 100_000n

/** No transaction may ask for more since the Osaka upgrade (EIP-7825: 2^24). */
export const TRANSACTION_GAS_CAP = 16_777_216n

/** Before its first item: the transaction itself, the cold entry contract, and decoding. */
const BATCH_BASE_GAS = 60_000n

/** For each item of a batch beside its own limit: its calldata, copying it, cold account and delegate, and the loop. */
const ITEM_OVERHEAD_GAS = 30_000n

/** What a sweep is taken to use before it has been simulated, near what sweeps do use. */
export const ASSUMED_SWEEP_GAS = 225_000n

/** What a sweep used in the simulation on the pending state, and what its quote was made with. */
export interface SweepGas {
  readonly simulated: bigint
  readonly quoted: bigint
}

/**
 * Gas that a sweep may use. What a simulation reports as used is net of refunds, which are at most a fifth of the gross
 * (EIP-3529), while the limit has to cover the gross; a tenth on top is for state that changes until inclusion.
 */
const callGasLimit = ({ quoted, simulated }: SweepGas): bigint => {
  const gross = (simulated * 5n) / 4n
  const limit = gross + gross / 10n
  return limit > quoted ? limit : quoted
}

/**
 * The gas that a quote keeps for its sweep, below which no limit falls. Simulations know nothing of gas that is charged for
 * the transaction's bytes, so where there is such gas the execution's own margin comes with it.
 */
export const quotedGas = ({ dataGas, gas }: { readonly gas: bigint; readonly dataGas: bigint }): bigint =>
  dataGas === 0n ? gas : callGasLimit({ simulated: gas, quoted: 0n }) + dataGas

/** Gas limit of a sweep that is sent by itself. */
export const sweepGasLimit = (sweep: SweepGas & { readonly authorizations: number }): bigint => {
  const authorizing = AUTHORIZATION_GAS * BigInt(sweep.authorizations)
  const limit = callGasLimit({ simulated: sweep.simulated, quoted: 0n }) + authorizing
  return limit > sweep.quoted ? limit : sweep.quoted
}

/** Gas limit of a sweep inside a batch; simulated by itself, it includes a transaction's own 21,000 as a further margin. */
export const itemGasLimit: (sweep: SweepGas) => bigint = callGasLimit

/** What an item adds to the gas limit of its batch. */
export const itemGas = (gasLimit: bigint, authorizations: number): bigint =>
  gasLimit + ITEM_OVERHEAD_GAS + AUTHORIZATION_GAS * BigInt(authorizations)

/**
 * Gas limit of a batch of items that add this much. The entry gives an item no less than its limit, of which a call can be
 * given at most 63/64 of what is left (EIP-150): the last item needs the missing part as well.
 */
export const batchGasLimit = (items: ReadonlyArray<bigint>): bigint =>
  items.reduce((sum, gas) => sum + gas, BATCH_BASE_GAS) +
  items.reduce((most, gas) => (gas > most ? gas : most), 0n) / 63n

/** How much of a transaction's gas the items of a batch may take, so that {@link batchGasLimit} stays within `total`. */
export const batchRoom = (total: bigint): bigint => {
  const room = ((total - BATCH_BASE_GAS) * 63n) / 64n
  return room > 0n ? room : 0n
}

/** Gas that a simulation may spend on a sweep: a token that burns gas must not use up what the others need. */
export const simulationGasLimit = (quoted: bigint): bigint => 2n * quoted + SELF_SEND_GAS
