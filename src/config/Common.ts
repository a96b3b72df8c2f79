/** Settings of all services. */
import { Config } from "effect"
import { alerts } from "./Alerts.ts"
import { secrets } from "./Secrets.ts"
import { security } from "./Security.ts"
import { integer, oneOf, POSITIVE, secret, setting, valuesOf } from "./Setting.ts"
import { stopping } from "./Stopping.ts"
import { telemetry } from "./Telemetry.ts"

export const common = {
  host: setting({
    name: "HOST",
    default: "127.0.0.1",
    check: Config.NonEmptyString,
    meaning: "Address that the services listen on. `0.0.0.0` listens on all addresses."
  }),
  logLevel: setting({
    name: "LOG_LEVEL",
    default: "Info",
    check: Config.LogLevel,
    meaning: "Least severe level that is logged."
  }),
  logFormat: setting({
    name: "LOG_FORMAT",
    default: "pretty",
    check: oneOf("pretty", "json"),
    meaning: "Format of the log: `pretty` for people, or `json` with one object per line."
  }),
  databaseUrl: secret({
    name: "DATABASE_URL",
    meaning:
      "PostgreSQL of the service, e.g. `postgres://user:password@host:5432/sweep`. If not set, an embedded PostgreSQL under `.sweep/` is used. Required if a public chain is served."
  }),
  databasePoolSize: setting({
    name: "DATABASE_POOL_SIZE",
    default: 10,
    // The orchestrator listens on two, and needs one for statements.
    check: integer({ ...POSITIVE, from: 3 }),
    meaning:
      "Maximum number of PostgreSQL connections per process. At least 3: the orchestrator listens on two of them."
  }),
  databaseListenUrl: secret({
    name: "DATABASE_LISTEN_URL",
    meaning:
      "The same database without a proxy, for LISTEN, migrations, backups and reconciliation. Needed if `DATABASE_URL` leads to PgBouncer in transaction mode. The role then needs limits of its own (docs/how-to/run-many-replicas.md)."
  }),
  redisUrl: secret({
    name: "REDIS_URL",
    meaning:
      "Redis or Valkey in which all replicas count requests together and share opinions of risk services, e.g. `rediss://user:password@host:6379/0`. While it does not answer, or if it is not set, each replica counts and asks for itself."
  }),
  trustedProxyHops: setting({
    name: "TRUSTED_PROXY_HOPS",
    default: 0,
    check: integer({ from: 0, to: 100 }),
    meaning:
      "Number of proxies in front that append to `X-Forwarded-For`. The client is that many entries from the right. With 0, the header is ignored, and the client is the peer of the connection."
  }),
  ...secrets,
  ...stopping,
  ...telemetry,
  ...alerts,
  ...security
} as const

export const CommonConfig = valuesOf(common)
