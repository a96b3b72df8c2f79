/** Judges the sources of sanctions screening. Pure. */
import { error, type Finding, found, type Kind, ok, warning } from "./Finding.ts"

export const kinds = {
  oracleUnreadable: error(
    "oracle_unreadable",
    "the sanctions oracle of a chain gives no boolean, so that every request there is blocked",
    "Correct `sanctionsOracle` in the chains file."
  ),
  oracleMisses: error(
    "oracle_misses_listed",
    "the sanctions oracle does not list the address of `--listed`",
    "Correct `sanctionsOracle` in the chains file, or check that the address is still listed."
  ),
  oracleWell: ok("oracle_ok", "the sanctions oracle answers"),
  listUnreadable: error(
    "sanctions_list_unreadable",
    "the sanctions list cannot be read, so that every request is blocked",
    "Write a valid list to the file, readable by the service."
  ),
  listTooOld: error(
    "sanctions_list_too_old",
    "the sanctions list is older than 7 days, so that every request is blocked",
    "Download it again, and repair the job that does so."
  ),
  listOld: warning(
    "sanctions_list_old",
    "the sanctions list is older than a day",
    "Check the job or the download that refreshes it."
  ),
  listUndated: error(
    "sanctions_list_undated",
    "the file of the sanctions list has no time of writing, or one in the future, so that its age is not known and does not count",
    "Correct the clock of the job that writes it, and write the file again."
  ),
  downloadFails: error(
    "sanctions_download_fails",
    "the list of `OFAC_SNAPSHOT_URL` cannot be downloaded",
    "Check the URL, and that the network allows it."
  ),
  notKept: warning(
    "sanctions_list_not_kept",
    "`OFAC_LAST_LIST_FILE` is not set or its folder cannot be written, so that requests are blocked after each start until the list is downloaded",
    "Set it to a file in a folder that the service can write."
  ),
  listAdds: ok(
    "sanctions_list_adds",
    "the file adds addresses to the list of `OFAC_SNAPSHOT_URL`. It may have any age, since that list must be recent"
  ),
  listWell: ok("sanctions_list_ok", "the sanctions list is recent")
}

export interface OracleFacts {
  readonly chain: string
  /** Answer about an address that is not listed; undefined if it is not a boolean. */
  readonly clean: boolean | undefined
  /** Answer about the address of `--listed`; undefined if none was given. */
  readonly listed: boolean | undefined
}

export const judgeOracle = ({ chain, clean, listed }: OracleFacts): Finding => {
  if (clean === undefined) return found(kinds.oracleUnreadable, chain, "the answer is not a boolean")
  if (listed === false) return found(kinds.oracleMisses, chain, "it says that the address is not sanctioned")
  return found(kinds.oracleWell, chain, listed === true ? "it lists the given address" : "it answers")
}

const DAY_MILLIS = 86_400_000

export interface ListFacts {
  /** Setting that names it. */
  readonly setting: string
  /** Reason for which it cannot be read; undefined if it can. */
  readonly failure: string | undefined
  readonly addresses: number
  /** Milliseconds since it was written; undefined if it is not known. */
  readonly ageMillis: number | undefined
  /** False if screening goes by the age of another list, to which this one adds addresses. */
  readonly countsAge: boolean
}

const ageKind = (ageMillis: number): Kind => {
  if (ageMillis > 7 * DAY_MILLIS) return kinds.listTooOld
  return ageMillis > DAY_MILLIS ? kinds.listOld : kinds.listWell
}

const hours = (millis: number): string => `${Math.floor(millis / 3_600_000)} hours old`

export const judgeList = ({ addresses, ageMillis, countsAge, failure, setting }: ListFacts): Finding => {
  if (failure !== undefined) return found(kinds.listUnreadable, setting, failure)
  if (!countsAge) return found(kinds.listAdds, setting, `${addresses} addresses`)
  if (ageMillis === undefined) return found(kinds.listUndated, setting, "its age is not known")
  return found(ageKind(ageMillis), setting, `${addresses} addresses, ${hours(ageMillis)}`)
}
