/** The file that tells finders of a vulnerability whom to tell (RFC 9116). Pure. */

export interface SecurityContact {
  /** URIs of the contacts, the preferred one first: `mailto:`, `https:` or `tel:`. At least one. */
  readonly contacts: readonly [string, ...Array<string>]
  /** URL of the policy for finders. Default: none. */
  readonly policyUrl?: string | undefined
}

const DAY_MILLIS = 86_400_000

/** A copy counts for half a year. RFC 9116 asks for less than a year. */
const VALID_DAYS = 180

/** Name of the file, below the root of the host. */
export const PATH = "/.well-known/security.txt"

/**
 * The lines of the file at a time in UNIX milliseconds. The operator's settings are in force while a service serves them, so the end
 * follows from the time of the request. It is the start of a day in UTC, so that all replicas serve the same bytes.
 */
export const lines = ({ contacts, policyUrl }: SecurityContact, nowMillis: number): ReadonlyArray<string> => {
  const expires = (Math.floor(nowMillis / DAY_MILLIS) + VALID_DAYS) * DAY_MILLIS
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${new Date(expires).toISOString().replace(".000Z", "Z")}`,
    ...(policyUrl === undefined ? [] : [`Policy: ${policyUrl}`])
  ]
}
