/** Gas limits of the relayer's transactions. */

/** What an authorization is charged up front, whether or not the account exists (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
const AUTHORIZATION_GAS = 25_000n

/** A transfer costs 21,000; some rollups charge the calldata's way to their base layer as gas on top. */
export const SELF_SEND_GAS = 100_000n

/**
 * Gas limit of a sweep. What a simulation reports as used is net of refunds, which are at most a fifth of the gross
 * (EIP-3529), while the limit has to cover the gross; a tenth on top is for state that changes until inclusion.
 */
export const sweepGasLimit = (sweep: {
  /** Gas that the simulation on the pending state used. */
  readonly simulated: bigint
  /** Gas limit that the quote was made with. */
  readonly quoted: bigint
  readonly authorizations: number
}): bigint => {
  const gross = (sweep.simulated * 5n) / 4n
  const limit = gross + gross / 10n + AUTHORIZATION_GAS * BigInt(sweep.authorizations)
  return limit > sweep.quoted ? limit : sweep.quoted
}
