/** Settings of sanctions screening. */
import { Config } from "effect"
import { integer, optional, secret, setting } from "../Setting.ts"

export const screening = {
  ofacSnapshot: optional({
    name: "OFAC_SNAPSHOT",
    check: Config.NonEmptyString,
    meaning: "File with sanctioned addresses to block in addition to those of the on-chain oracle."
  }),
  ofacSnapshotUrl: optional({
    name: "OFAC_SNAPSHOT_URL",
    check: Config.URL,
    meaning:
      "URL of OFAC's SDN list as XML, which the service downloads itself, e.g. `https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/SDN.XML`. Its addresses are blocked in addition to those of the other sources."
  }),
  ofacRefreshMinutes: setting({
    name: "OFAC_REFRESH_MINUTES",
    default: 360,
    check: integer({ from: 1, to: 1440 }),
    meaning: "Interval at which the list of `OFAC_SNAPSHOT_URL` is downloaded, in minutes, at most a day."
  }),
  ofacLastListFile: optional({
    name: "OFAC_LAST_LIST_FILE",
    check: Config.NonEmptyString,
    meaning:
      "File in which the service keeps the last good list of `OFAC_SNAPSHOT_URL`, with which it screens at once after a restart and compares the next list. If not set, requests are blocked after a start until the list is downloaded, and any first list is believed. The last good copy of `OFAC_SNAPSHOT` is kept in a file of the same name with `.snapshot` added, so that a restart does not believe a damaged one."
  }),
  ofacMaxRemovedPercent: setting({
    name: "OFAC_MAX_REMOVED_PERCENT",
    default: 20,
    check: integer({ from: 0, to: 100 }),
    meaning:
      "Part of the addresses that a new list of `OFAC_SNAPSHOT_URL` or a new file of `OFAC_SNAPSHOT` may lack, in percent. A list that lacks more does not replace the last good one. The addresses that such a file lacks stay blocked, and its age is that of the last good file, until it is complete or the service restarts. With `OFAC_LAST_LIST_FILE`, a restart changes this only after newer files have agreed for a day."
  }),
  chainalysisApiKey: secret({
    name: "CHAINALYSIS_API_KEY",
    meaning:
      "Key of Chainalysis's sanctions API. If set, the API is asked for each address too, and blocks while it does not answer."
  }),
  chainalysisApiUrl: setting({
    name: "CHAINALYSIS_API_URL",
    default: new URL("https://public.chainalysis.com"),
    check: Config.URL,
    meaning: "Base URL of Chainalysis's sanctions API."
  })
} as const
