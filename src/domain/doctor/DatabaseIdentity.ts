/** Tells if two connections lead to the same database of the same running server. Pure. */

export interface DatabaseIdentity {
  readonly database: string
  /** Object id of the database, which renaming keeps. */
  readonly oid: string
  /** Identifier of the cluster. Undefined if the role may not read it. */
  readonly systemIdentifier: string | undefined
  /**
   * Seconds of UNIX time at which the server started, to the microsecond, which every role may read. Copies, standbys and former primaries
   * of a cluster have its system identifier, and started at another time.
   */
  readonly startedAt: string
}

const started = ({ startedAt }: DatabaseIdentity): string =>
  new Date(Math.floor(Number(startedAt) * 1_000)).toISOString()

/** Says where `other` leads instead of `used`. Undefined if both are the same database. */
export const difference = (used: DatabaseIdentity, other: DatabaseIdentity): string | undefined => {
  const [expected, seen] = [used.systemIdentifier, other.systemIdentifier]
  if (expected !== undefined && seen !== undefined && expected !== seen) {
    return `to a server of the cluster ${seen} instead of ${expected}`
  }
  if (used.startedAt !== other.startedAt) {
    return `to a server that started at ${started(other)} instead of ${started(used)}`
  }
  return used.oid === other.oid ? undefined : `to ${other.database} instead of ${used.database}`
}
