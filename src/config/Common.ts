/** Settings of all services. */
import { Config } from "effect"
import { DEFAULT_DOMAIN_NAME, DomainName } from "../domain/SweepOrder.ts"
import { POSITIVE, integer, secret, text, withDefault } from "./Setting.ts"

export const common = {
  host: text("HOST", "127.0.0.1", "Address that the services listen on; 0.0.0.0 for all."),
  logLevel: withDefault(
    "LOG_LEVEL",
    Config.LogLevel,
    { value: "Info", shown: "Info" },
    "Least severe level that is logged."
  ),
  logFormat: withDefault(
    "LOG_FORMAT",
    (name) => Config.Literals(["pretty", "json"], name),
    { value: "pretty", shown: "pretty" },
    "`pretty` for people, `json` for machines: one object a line."
  ),
  databaseUrl: secret(
    "DATABASE_URL",
    "Postgres of the service, e.g. postgres://user:password@host:5432/sweep. Unset: an embedded one under .sweep/."
  ),
  databasePoolSize: integer("DATABASE_POOL_SIZE", 10, POSITIVE, "Most connections that one process opens to Postgres."),
  trustedProxyHops: integer(
    "TRUSTED_PROXY_HOPS",
    1,
    { from: 0, to: 100 },
    "Proxies in front that append to X-Forwarded-For: the client is that many entries from the right. 0: the socket's peer."
  )
} as const

export const chains = {
  chainsFile: text("CHAINS_FILE", "chains.json", "JSON file that lists the chains to serve."),
  domainName: withDefault(
    "EIP712_DOMAIN_NAME",
    (name) => Config.schema(DomainName, name),
    { value: DEFAULT_DOMAIN_NAME, shown: DEFAULT_DOMAIN_NAME },
    "EIP-712 domain name of orders. Part of the contracts: changing it means deploying anew."
  )
} as const
