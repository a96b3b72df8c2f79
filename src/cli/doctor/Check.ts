/** One check of `./sweep doctor`. It gathers facts, and leaves the judgement to `domain/doctor`. */
import type { PgClient } from "@effect/sql-pg"
import type { Effect, FileSystem, Option, Path, Result, Scope } from "effect"
import type { HttpClient } from "effect/http"
import type { ChainSettings } from "../../adapters/evm/chains/ChainSettings.ts"
import type * as Address from "../../domain/Address.ts"
import type { Finding } from "../../domain/doctor/Finding.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"

export type Service = "orchestrator" | "builder-backend"

/** A chain of the chains file. */
export interface Served {
  readonly entry: ChainSettings
  readonly domainName: string
  readonly client: ChainClient
}

/** Any failure that the checks may have. Its message has no secret. */
export interface Unknown {
  readonly message: string
}

/** A key that a setting names. */
export interface NamedKey {
  /** The setting, and the position of the key if it has several. */
  readonly subject: string
  /** Account of the key; a failure if the key cannot be used. */
  readonly account: Result.Result<Address.Address, Unknown>
}

/** The deployment that is checked. Settings that cannot be read fail here, and are findings of the check of settings. */
export interface Deployment {
  readonly services: ReadonlyArray<Service>
  /** An address that every sanctions oracle must list. */
  readonly listed: Option.Option<Address.Address>
  readonly served: Effect.Effect<ReadonlyArray<Served>, Unknown>
  /** Keys of the lanes. */
  readonly lanes: Effect.Effect<ReadonlyArray<NamedKey>, Unknown>
  /** Key of the treasury, if one is set. */
  readonly feeRecipientKey: Effect.Effect<Option.Option<NamedKey>, Unknown>
  /** Connects to the database of the settings for the time of an effect. */
  readonly withDatabase: <A, E extends Unknown>(
    use: Effect.Effect<A, E, PgClient.PgClient>
  ) => Effect.Effect<A, Unknown>
}

export interface Check {
  /** Shown while it runs. */
  readonly name: string
  /** Services whose settings it needs. */
  readonly services: ReadonlyArray<Service>
  /** A failure becomes the finding `not_checked`. */
  readonly findings: (
    deployment: Deployment
  ) => Effect.Effect<
    ReadonlyArray<Finding>,
    Unknown,
    FileSystem.FileSystem | HttpClient.HttpClient | Path.Path | Scope.Scope
  >
}

export const BOTH: ReadonlyArray<Service> = ["orchestrator", "builder-backend"]
