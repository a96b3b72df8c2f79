/** Every durable store of the builder backend, on one database client. */
import { Layer } from "effect"
import * as KeptSums from "../shared/KeptSums.ts"
import * as Overrides from "../shared/Overrides.ts"
import * as StoreProbe from "../shared/StoreProbe.ts"
import * as AlertNotices from "./AlertNotices.ts"
import * as Alerts from "./Alerts.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as AuditLog from "./AuditLog.ts"
import * as Builders from "./Builders.ts"
import * as FirstSteps from "./FirstSteps.ts"
import * as KeptData from "./KeptData.ts"
import * as Ledger from "./Ledger.ts"
import * as Nonces from "./Nonces.ts"
import * as Payouts from "./Payouts.ts"
import * as RevenueBook from "./RevenueBook.ts"
import * as Sessions from "./Sessions.ts"
import * as Sweeps from "./Sweeps.ts"
import * as UnitOfWork from "./UnitOfWork.ts"
import * as Webhooks from "./Webhooks.ts"

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.mergeAll(
  AlertNotices.layer,
  Alerts.layer,
  ApiKeys.layer,
  AuditLog.layer,
  Builders.layer,
  FirstSteps.layer,
  KeptData.layer,
  KeptSums.layer("builder"),
  Ledger.layer,
  Nonces.layer,
  Overrides.layer("builder"),
  Payouts.layer,
  RevenueBook.layer,
  Sessions.layer,
  StoreProbe.layer("builder"),
  Sweeps.layer,
  UnitOfWork.layer,
  Webhooks.layer
)
