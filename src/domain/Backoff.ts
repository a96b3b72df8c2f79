/** Delays between attempts. */

const BASE_MILLIS = 1_000
const CAP_MILLIS = 300_000

/**
 * Delay in milliseconds after `failures` failed attempts. It doubles from one second up to five minutes. A random share
 * of up to one half (`random` from 0 to 1) is subtracted, so that clients that failed together do not retry together.
 */
export const backoffMillis = (failures: number, random: number): number => {
  const full = Math.min(CAP_MILLIS, BASE_MILLIS * 2 ** Math.max(0, failures - 1))
  return Math.round(full * (1 - random / 2))
}

/** A bridge fills most deposits within two minutes. Until then, a delivery is noticed within this time. */
const FREQUENT_MILLIS = 3_000
const FREQUENT_LOOKS = 40
const LOOK_CAP_MILLIS = 60_000

/**
 * Delay in milliseconds after `looks` looks for a delivery that found none. It grows from one second to three, stays there for the
 * first 40 looks, which take two minutes, and then doubles up to one minute.
 */
export const deliveryLookMillis = (looks: number): number =>
  looks <= FREQUENT_LOOKS
    ? Math.min(FREQUENT_MILLIS, BASE_MILLIS * 2 ** Math.max(0, looks - 1))
    : Math.min(LOOK_CAP_MILLIS, FREQUENT_MILLIS * 2 ** (looks - FREQUENT_LOOKS))

const REFUND_FIRST_MILLIS = 5_000
const REFUND_CAP_MILLIS = 600_000

/** Delay in milliseconds after `looks` looks for a bridge's refund that found none. It doubles from five seconds up to ten minutes. */
export const refundLookMillis = (looks: number): number =>
  Math.min(REFUND_CAP_MILLIS, REFUND_FIRST_MILLIS * 2 ** Math.max(0, looks - 1))

const SPENDER_FIRST_MILLIS = 30_000
const SPENDER_CAP_MILLIS = 600_000

/**
 * Delay in milliseconds after `looks` complete searches of the logs that did not show who spent the nonce of an order whose deadline is
 * over. It doubles from 30 seconds up to ten minutes.
 */
export const spenderLookMillis = (looks: number): number =>
  Math.min(SPENDER_CAP_MILLIS, SPENDER_FIRST_MILLIS * 2 ** Math.max(0, looks - 1))
