/** Judges the settings of a service. Pure. */
import { error, type Finding, found, ok, warning } from "./Finding.ts"

export const kinds = {
  wrong: error(
    "setting_wrong",
    "a setting is missing or wrong, so that the service does not start",
    "Correct it. `./sweep settings` explains every setting, and `./sweep init` writes the first ones."
  ),
  misspelt: warning(
    "setting_misspelt",
    "a variable is no setting and resembles one that is not set",
    "Correct the name, or remove the variable."
  ),
  embedded: warning(
    "database_embedded",
    "`DATABASE_URL` is not set, so that the service starts an embedded PostgreSQL, which is for local networks",
    "Set DATABASE_URL to a PostgreSQL of your own."
  ),
  unserved: warning(
    "setting_chain_unserved",
    "a setting names a chain that the chains file lacks, so that the entry has no effect",
    "Correct the id, or remove the entry."
  ),
  overridden: warning(
    "setting_overridden",
    "an operator has resumed a chain that `RELAYER_PAUSED_CHAINS` names, so that the setting does not pause it",
    "Run `./sweep operate reset` for the chain, so that the setting holds, or remove the chain from the setting."
  ),
  noDatabase: error(
    "database_missing",
    "`DATABASE_URL` is not set and public chains are served, so that the service does not start",
    "Set DATABASE_URL to the PostgreSQL of the deployment."
  ),
  noAdminToken: warning(
    "admin_token_missing",
    "the service's admin token is not set, so that its operator or machine routes are closed",
    "Set the token to a long random text."
  ),
  shortToken: warning(
    "admin_token_short",
    "an admin token has fewer than 16 characters and can be guessed",
    "Set the token to a long random text, such as 32 random bytes in hex."
  ),
  noBackend: warning(
    "backend_missing",
    "`BUILDER_URL` or `BUILDER_ADMIN_TOKEN` is not set, so that sweeps are not attributed or fees are not booked",
    "Set both, or ignore this if you have no builders."
  ),
  noDashboard: warning(
    "dashboard_missing",
    "`DASHBOARD_URL` is not set, so that nobody can sign in to the dashboard",
    "Set DASHBOARD_URL to the origin of the dashboard."
  ),
  privateWebhooks: warning(
    "webhooks_private",
    "`WEBHOOKS_ALLOW_PRIVATE` is set, so that builders can reach hosts that only the backend can reach",
    "Unset it, except on a local network."
  ),
  budgetCut: warning(
    "unlisted_budget_cut",
    "a chain's daily gas cap is so low that it cuts the loss budget of sweeps with unlisted tokens, which may use up a tenth of the cap in 24 hours",
    "Raise the cap to 50 times the hourly budget, or lower the budget to what holds. A budget of 0 serves listed tokens alone."
  ),
  fewSources: error(
    "price_sources_few",
    "a chain has fewer sources of prices than `PRICE_MIN_SOURCES`, so that nothing is quoted there",
    "Lower PRICE_MIN_SOURCES, or add sources: PRICES=defillama, COINGECKO_API_KEY, or `priceFeeds` in the chains file."
  ),
  well: ok("settings_ok", "no setting is missing or wrong")
}

/** Tokens below this length can be guessed. */
const MIN_TOKEN = 16

export interface SettingsFacts {
  readonly service: "orchestrator" | "builder-backend"
  /** One sentence for each missing or wrong setting. */
  readonly problems: ReadonlyArray<string>
  readonly misspelt: ReadonlyArray<{ readonly name: string; readonly meant: string }>
  readonly hasDatabaseUrl: boolean
  /** True if `POSTGRES_PASSWORD` is set, by which Docker Compose makes the URL for its services. */
  readonly hasComposeDatabase: boolean
  /** Names of public chains that are served. */
  readonly publicChains: ReadonlyArray<string>
  /** Length of the admin token; undefined if it is not set. */
  readonly adminTokenLength: number | undefined
  /** Settings of the builder backend that the orchestrator lacks. */
  readonly missingBackend: ReadonlyArray<string>
  readonly hasDashboard: boolean
  readonly allowsPrivateWebhooks: boolean
  /** Chains whose loss budget of unlisted tokens is cut by the daily gas cap. */
  readonly cutBudgets: ReadonlyArray<CutBudget>
  /** Chains on which no token can have a price that counts. */
  readonly fewSources: ReadonlyArray<FewSources>
  readonly unserved: ReadonlyArray<Unserved>
}

/** A chain that a setting names and the chains file lacks. */
export interface Unserved {
  readonly setting: string
  readonly chainId: number
}

/** A chain that a setting pauses and an operator has resumed. */
export interface Resumed {
  readonly chainId: number
  readonly actor: string
  readonly sinceMs: number
}

export interface FewSources {
  readonly chain: string
  /** Names of the sources that the chain can have. */
  readonly sources: ReadonlyArray<string>
  /** The number that must agree. */
  readonly needed: number
}

/** Loss budget of sweeps with unlisted tokens on a chain, in wei. */
export interface CutBudget {
  readonly chain: string
  /** In one hour, by the settings. */
  readonly hour: bigint
  /** In 24 hours: what holds under the cap. */
  readonly day: bigint
}

/** Judges choices that take the place of a setting's pauses. */
export const judgeResumed = (setting: string, resumed: ReadonlyArray<Resumed>): ReadonlyArray<Finding> =>
  resumed.map(({ actor, chainId, sinceMs }) =>
    found(
      kinds.overridden,
      `${setting} ${chainId}`,
      `${actor} resumed the chain at ${new Date(sinceMs).toISOString()}`,
      `Run \`./sweep operate reset chain:${chainId}\`, so that the setting holds, or remove ${chainId} from the setting.`
    )
  )

/** Problems of one sentence each begin with the name of their setting. */
const subjectOf = (problem: string, fallback: string): string => /^[A-Z][A-Z0-9_]{2,}/.exec(problem)?.[0] ?? fallback

const judgeDatabase = (facts: SettingsFacts): ReadonlyArray<Finding> => {
  const subject = "DATABASE_URL"
  if (facts.hasDatabaseUrl) return []
  if (facts.publicChains.length === 0) return [found(kinds.embedded, subject, "it is not set")]
  if (!facts.hasComposeDatabase) {
    return [
      found(kinds.noDatabase, subject, `it is not set, and the chains ${facts.publicChains.join(", ")} are served`)
    ]
  }
  const advice =
    "Docker Compose sets it for its services. Without Docker, set DATABASE_URL to a PostgreSQL of your own."
  return [found(kinds.embedded, subject, "it is not set, and POSTGRES_PASSWORD is", advice)]
}

export const judge = (facts: SettingsFacts): ReadonlyArray<Finding> => {
  const { service } = facts
  const isOrchestrator = service === "orchestrator"
  const token = isOrchestrator ? "ORCH_ADMIN_TOKEN" : "ADMIN_TOKEN"
  const findings = [
    ...facts.problems.map((problem) => found(kinds.wrong, subjectOf(problem, service), problem)),
    ...facts.misspelt.map(({ meant, name }) => found(kinds.misspelt, name, `${meant} is not set`)),
    ...judgeDatabase(facts),
    ...(facts.adminTokenLength === undefined ? [found(kinds.noAdminToken, token, "it is not set")] : []),
    ...(facts.adminTokenLength !== undefined && facts.adminTokenLength < MIN_TOKEN
      ? [found(kinds.shortToken, token, `it has ${facts.adminTokenLength} characters`)]
      : []),
    ...(isOrchestrator ? facts.missingBackend.map((name) => found(kinds.noBackend, name, "it is not set")) : []),
    ...(isOrchestrator || facts.hasDashboard ? [] : [found(kinds.noDashboard, "DASHBOARD_URL", "it is not set")]),
    ...(!isOrchestrator && facts.allowsPrivateWebhooks
      ? [found(kinds.privateWebhooks, "WEBHOOKS_ALLOW_PRIVATE", "it is true")]
      : []),
    ...facts.unserved.map(({ chainId, setting }) =>
      found(kinds.unserved, setting, `chain ${chainId} is not in the chains file`)
    ),
    ...facts.cutBudgets.map(({ chain, day, hour }) =>
      found(kinds.budgetCut, chain, `${hour} wei in one hour is set, and ${day} wei in 24 hours holds`)
    ),
    ...facts.fewSources.map(({ chain, needed, sources }) =>
      found(kinds.fewSources, chain, `${needed} must agree, and it has ${sources.join(" and ") || "none"}`)
    )
  ]
  return facts.problems.length > 0 ? findings : [...findings, found(kinds.well, service, "every setting can be read")]
}
