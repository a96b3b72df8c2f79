/** The durable stores of the orchestrator. */
import { Layer, type Redacted } from "effect"
import * as SqlKeptSums from "../../adapters/sql/shared/KeptSums.ts"
import * as SqlStoreProbe from "../../adapters/sql/shared/StoreProbe.ts"
import * as Database from "../../adapters/sql/shared/Database.ts"
import * as SqlAlertNotices from "../../adapters/sql/orchestrator/AlertNotices.ts"
import * as SqlAlerts from "../../adapters/sql/orchestrator/Alerts.ts"
import * as SqlBacklog from "../../adapters/sql/orchestrator/Backlog.ts"
import * as SqlBridgeFlights from "../../adapters/sql/orchestrator/BridgeFlights.ts"
import * as SqlExposures from "../../adapters/sql/orchestrator/Exposures.ts"
import * as SqlHeartbeats from "../../adapters/sql/orchestrator/Heartbeats.ts"
import * as SqlHeldIntents from "../../adapters/sql/orchestrator/HeldIntents.ts"
import * as SqlIdempotency from "../../adapters/sql/orchestrator/Idempotency.ts"
import * as SqlIntents from "../../adapters/sql/orchestrator/Intents.ts"
import * as SqlKeptData from "../../adapters/sql/orchestrator/KeptData.ts"
import * as SqlLaneBook from "../../adapters/sql/orchestrator/LaneBook.ts"
import * as SqlLastPrices from "../../adapters/sql/orchestrator/LastPrices.ts"
import * as SqlMoneyBook from "../../adapters/sql/orchestrator/MoneyBook.ts"
import * as Migrated from "../../adapters/sql/orchestrator/Migrated.ts"
import * as SqlOverrides from "../../adapters/sql/shared/Overrides.ts"
import * as SqlOutbox from "../../adapters/sql/orchestrator/Outbox.ts"
import * as SqlPromisedFees from "../../adapters/sql/orchestrator/PromisedFees.ts"
import * as SqlRefunds from "../../adapters/sql/orchestrator/Refunds.ts"
import * as SqlRelayTransactions from "../../adapters/sql/orchestrator/RelayTransactions.ts"
import * as SqlSweepRecords from "../../adapters/sql/orchestrator/SweepRecords.ts"
import * as SqlTreasurySales from "../../adapters/sql/orchestrator/TreasurySales.ts"

export interface Options {
  readonly databaseUrl: Redacted.Redacted
  /** The database without a proxy. Default: `databaseUrl` leads to it directly. */
  readonly databaseDirectUrl?: Redacted.Redacted | undefined
  readonly databasePoolSize: number
  /** Value that each bridge may carry on the word of its service, in US dollars. Default: 0. */
  readonly maxInFlightUsd?: number | undefined
}

/** A US dollar as values are scaled. */
const USD = 10n ** 18n

/** They are built after the migrations. */
export const layer = (options: Options) =>
  Layer.mergeAll(
    SqlAlertNotices.layer,
    SqlAlerts.layer,
    SqlBacklog.layer,
    SqlBridgeFlights.layer(BigInt(options.maxInFlightUsd ?? 0) * USD),
    SqlExposures.layer,
    SqlHeartbeats.layer,
    SqlHeldIntents.layer,
    SqlIdempotency.layer,
    SqlIntents.layer,
    SqlKeptData.layer,
    SqlKeptSums.layer("orchestrator"),
    SqlLaneBook.layer,
    SqlLastPrices.layer,
    SqlMoneyBook.layer,
    SqlOutbox.layer,
    SqlPromisedFees.layer,
    SqlOverrides.layer("orchestrator"),
    SqlRefunds.layer,
    SqlRelayTransactions.layer,
    SqlStoreProbe.layer("orchestrator"),
    SqlSweepRecords.layer,
    SqlTreasurySales.layer
  ).pipe(
    Layer.provide(Migrated.layer),
    Layer.provide(
      Database.layer({
        url: options.databaseUrl,
        directUrl: options.databaseDirectUrl,
        poolSize: options.databasePoolSize
      })
    )
  )
