/** Judges the PostgreSQL of a service. Pure. */
import { type DatabaseIdentity, difference } from "./DatabaseIdentity.ts"
import { error, type Finding, found, type Kind, ok, warning } from "./Finding.ts"

export const kinds = {
  unreachable: error(
    "database_unreachable",
    "no connection to the database can be opened",
    "Check the URL, the network and that PostgreSQL runs. The service waits a minute for it when it starts."
  ),
  old: error("database_version_old", "the server is older than PostgreSQL 15", "Use PostgreSQL 15 or later."),
  readOnly: error(
    "database_read_only",
    "the database takes no writes: it is a replica, or read-only by its settings, or full",
    "Set DATABASE_URL to the primary, and check its disk and `default_transaction_read_only`."
  ),
  noRight: error(
    "database_no_right",
    "the schema is missing and the role may not create it",
    "Grant CREATE on the database to the role of DATABASE_URL."
  ),
  pending: warning(
    "migrations_pending",
    "the schema is older than this release",
    "Run `./sweep migrate`, or start the service, which runs them."
  ),
  newer: warning(
    "migrations_newer",
    "the schema is newer than this release",
    "Run the newest release. The release before it may still serve."
  ),
  notDurable: error(
    "database_commits_not_durable",
    "`synchronous_commit` is off, so that a crash can lose accepted submissions and signed transactions",
    "Set `synchronous_commit` to on for the database and its role."
  ),
  noFsync: error(
    "database_fsync_off",
    "`fsync` or `full_page_writes` is off, so that a crash can destroy the database",
    "Set both to on in postgresql.conf, and restart PostgreSQL."
  ),
  encoding: error(
    "database_encoding",
    "the database's encoding is not UTF8",
    "Create the database with ENCODING 'UTF8'."
  ),
  fewConnections: warning(
    "database_few_connections",
    "the server has fewer free connections than the process's pool needs",
    "Raise `max_connections`, or lower DATABASE_POOL_SIZE. Every replica of both services has its own pool."
  ),
  timeouts: warning(
    "database_timeouts",
    "a timeout of the server or of the role ends connections or long migrations",
    "Set it to 0 for the role of DATABASE_URL. The service has its own limits."
  ),
  pooled: error(
    "database_transaction_pooling",
    "a proxy gives each transaction another connection, so that LISTEN, prepared statements and limits are lost",
    "Set DATABASE_LISTEN_URL to the database without the proxy, or use session pooling."
  ),
  parameters: error(
    "database_parameters_ignored",
    "a proxy drops or refuses the parameters with which the service limits its statements",
    "Set DATABASE_LISTEN_URL to the database without the proxy, or let the proxy pass startup parameters on."
  ),
  unlimited: error(
    "database_role_unlimited",
    "DATABASE_LISTEN_URL is set, and the role of DATABASE_URL does not limit statements and idle transactions to 10 s",
    "Run `ALTER ROLE name SET statement_timeout = '3s'` and the same with `idle_in_transaction_session_timeout = '6s'`."
  ),
  listenOther: error(
    "database_listen_other",
    "`DATABASE_LISTEN_URL` leads to another database than `DATABASE_URL`, so that migrations, notices and backups miss the one in use",
    "Set DATABASE_LISTEN_URL to the database of DATABASE_URL, without the proxy. Discard backups that were made of the other one."
  ),
  unreconciled: error(
    "database_unreconciled",
    "the database was restored and not reconciled, so payouts are refused",
    "Run `./sweep reconcile`."
  ),
  identity: warning(
    "database_identity_partial",
    "the role may not read a part of the database's identity, so that a restore or a takeover may not be noticed",
    "Grant EXECUTE on pg_control_system() and pg_walfile_name(pg_lsn) to the role. Without them, pause all sweeps and run `./sweep reconcile --since` after each failover."
  ),
  clockOff: warning(
    "database_clock_off",
    "the clocks of the database and of this machine differ by more than 2 seconds",
    "Synchronize both clocks (NTP)."
  ),
  well: ok("database_ok", "the database answers, takes writes and has the schema")
}

/** Connections beside the pool: listeners and migrations. */
const EXTRA_CONNECTIONS = 3

const MAX_CLOCK_OFFSET_MILLIS = 2_000

/** `server_version_num` of PostgreSQL 15, the first that knows NULLS NOT DISTINCT, which migrations use. */
const MIN_VERSION = 150_000

export interface DatabaseFacts {
  /** Host and database, without the password. */
  readonly name: string
  /** `server_version_num`. */
  readonly version: number
  /** Round trip of a query in milliseconds. */
  readonly latencyMillis: number
  readonly isReplica: boolean
  /** Reason for which a write failed; undefined if it succeeded. */
  readonly writeFailure: string | undefined
  readonly mayCreate: boolean
  /** True if the books were restored, and a reconciliation did not come to its end. Default: false. */
  readonly isUnreconciled?: boolean
  /** Cluster, database and timeline, each `-` if the role may not read it. Undefined without the builder backend's schema. */
  readonly identity?: string | undefined
  readonly schemas: ReadonlyArray<{
    readonly name: string
    readonly exists: boolean
    /** Numbers of migrations that were run. */
    readonly applied: ReadonlyArray<number>
    /** Numbers of the migrations of this release. */
    readonly known: ReadonlyArray<number>
  }>
  /** Settings of a session without parameters, by name, as `SHOW` prints them in base units. */
  readonly settings: Readonly<Record<string, string>>
  readonly encoding: string
  readonly maxConnections: number
  readonly usedConnections: number
  readonly poolSize: number
  /** True if two client connections shared a server connection. */
  readonly isPooledByTransaction: boolean
  /** True if a proxy may be between, since a URL without one is set too. */
  readonly isProxied: boolean
  /** True if the session has the `statement_timeout` that its startup parameters ask for; proxied, if its role has limits. */
  readonly takesParameters: boolean
  /** Database's time less this machine's, in milliseconds. */
  readonly clockOffsetMillis: number
}

/** Timeouts that the service does not set itself. */
const TIMEOUTS = ["idle_session_timeout", "transaction_timeout", "lock_timeout"] as const

const judgeSchema = (
  { mayCreate, name }: DatabaseFacts,
  schema: DatabaseFacts["schemas"][number]
): ReadonlyArray<Finding> => {
  const pending = schema.known.filter((id) => !schema.applied.includes(id))
  const newer = schema.applied.filter((id) => !schema.known.includes(id))
  if (!schema.exists && !mayCreate) return [found(kinds.noRight, name, `the schema ${schema.name} does not exist`)]
  return [
    ...(pending.length > 0
      ? [found(kinds.pending, schema.name, `${pending.length} of ${schema.known.length} migrations are pending`)]
      : []),
    ...(newer.length > 0 ? [found(kinds.newer, schema.name, `migrations ${newer.join(", ")} are unknown here`)] : [])
  ]
}

/** Refusal of PgBouncer, unless `ignore_startup_parameters` names the parameter. */
const REFUSES_PARAMETERS = /unsupported startup parameter/i

/** The finding about a database to which no connection can be opened. */
export const judgeFailure = (subject: string, detail: string): Finding =>
  found(REFUSES_PARAMETERS.test(detail) ? kinds.parameters : kinds.unreachable, subject, detail)

/** Judges the database of DATABASE_LISTEN_URL by that of DATABASE_URL. */
export const judgeDirect = (used: DatabaseIdentity, direct: DatabaseIdentity): ReadonlyArray<Finding> => {
  const other = difference(used, direct)
  return other === undefined ? [] : [found(kinds.listenOther, "DATABASE_LISTEN_URL", `it leads ${other}`)]
}

/** Parts of the identity that the role may not read. */
const unreadParts = (identity: string | undefined): ReadonlyArray<string> => {
  const [cluster, , timeline] = identity?.split("/") ?? []
  return [...(cluster === "-" ? ["the cluster"] : []), ...(timeline === "-" ? ["the timeline"] : [])]
}

export const judge = (facts: DatabaseFacts): ReadonlyArray<Finding> => {
  const { name, settings } = facts
  const is = (condition: boolean, kind: Kind, seen: string) => (condition ? [found(kind, name, seen)] : [])
  const free = facts.maxConnections - facts.usedConnections
  const needed = facts.poolSize + EXTRA_CONNECTIONS
  const offset = Math.round(facts.clockOffsetMillis)
  const timeouts = TIMEOUTS.filter((each) => (settings[each] ?? "0") !== "0")
  const unsafe = ["fsync", "full_page_writes"].filter((each) => settings[each] === "off")
  const unread = unreadParts(facts.identity)
  const findings = [
    ...is(facts.version < MIN_VERSION, kinds.old, `version ${Math.floor(facts.version / 10_000)}`),
    ...is(
      facts.isReplica || facts.writeFailure !== undefined,
      kinds.readOnly,
      facts.isReplica ? "it is a replica in recovery" : (facts.writeFailure ?? "")
    ),
    ...is(facts.isUnreconciled === true, kinds.unreconciled, "a restore is not reconciled"),
    ...is(unread.length > 0, kinds.identity, `it does not show ${unread.join(" and ")}`),
    ...facts.schemas.flatMap((schema) => judgeSchema(facts, schema)),
    ...is(settings["synchronous_commit"] === "off", kinds.notDurable, "synchronous_commit = off"),
    ...is(unsafe.length > 0, kinds.noFsync, unsafe.map((each) => `${each} = off`).join(", ")),
    ...is(facts.encoding !== "UTF8", kinds.encoding, facts.encoding),
    ...is(
      free < needed,
      kinds.fewConnections,
      `${facts.usedConnections} of ${facts.maxConnections} connections are used, and a process needs up to ${needed}`
    ),
    ...is(timeouts.length > 0, kinds.timeouts, timeouts.map((each) => `${each} = ${settings[each]} ms`).join(", ")),
    ...is(facts.isPooledByTransaction && !facts.isProxied, kinds.pooled, "two connections shared one of the server"),
    ...is(
      !facts.takesParameters && !facts.isProxied,
      kinds.parameters,
      "statement_timeout is not the one that was asked for"
    ),
    ...is(!facts.takesParameters && facts.isProxied, kinds.unlimited, "a limit is 0 or above 10 s"),
    ...is(Math.abs(offset) > MAX_CLOCK_OFFSET_MILLIS, kinds.clockOff, `the database's clock is ${ahead(offset)}`)
  ]
  const isBroken = findings.some(({ level }) => level === "error")
  const version = Math.floor(facts.version / 10_000)
  const well = found(kinds.well, name, `PostgreSQL ${version}, ${Math.round(facts.latencyMillis)} ms`)
  return isBroken ? findings : [...findings, well]
}

/** A difference of clocks in words. */
export const ahead = (millis: number): string =>
  `${(Math.abs(millis) / 1_000).toFixed(1)} s ${millis < 0 ? "behind" : "ahead"}`
