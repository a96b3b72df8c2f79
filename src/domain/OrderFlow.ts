/**
 * Private order flow: a signed transaction goes to private endpoints first, which pass it to block builders and not to the public pool.
 * It goes public once it has waited too long, or if no private endpoint takes it.
 */

/** State of one signed transaction. */
export interface Sent {
  /** Milliseconds since it was first sent. */
  readonly ageMillis: number
  /** True if the private endpoints refused it or did not answer. It is then public for good. */
  readonly isRefused: boolean
}

/** The way in which a transaction is sent now. `publicInMillis`: time until it goes public, if it is not in a block by then. */
export type Way = { readonly _tag: "Private"; readonly publicInMillis: number } | { readonly _tag: "Public" }

/** `publicAfterMillis`: longest time for which a transaction stays private. */
export const wayOf = ({ ageMillis, isRefused }: Sent, publicAfterMillis: number): Way =>
  isRefused || ageMillis >= publicAfterMillis
    ? { _tag: "Public" }
    : { _tag: "Private", publicInMillis: publicAfterMillis - Math.max(0, ageMillis) }
