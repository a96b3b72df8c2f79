/** Every store of the builder backend in memory, with one state, for tests. */
import { Layer } from "effect"
import * as Alerts from "../shared/Alerts.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as AuditLog from "./AuditLog.ts"
import * as Builders from "./Builders.ts"
import * as FirstSteps from "./FirstSteps.ts"
import * as KeptData from "./KeptData.ts"
import * as Ledger from "./Ledger.ts"
import * as Nonces from "./Nonces.ts"
import * as Overrides from "./Overrides.ts"
import * as Payouts from "./Payouts.ts"
import * as RevenueBook from "./RevenueBook.ts"
import * as Sessions from "./Sessions.ts"
import * as Sweeps from "./Sweeps.ts"
import * as UnitOfWork from "./UnitOfWork.ts"
import * as Webhooks from "./Webhooks.ts"

export const layer = Layer.mergeAll(
  Alerts.layer,
  ApiKeys.layer,
  Overrides.layer.pipe(Layer.provideMerge(AuditLog.layer)),
  KeptData.layer,
  Nonces.layer,
  Payouts.layer,
  RevenueBook.layer,
  Sessions.layer,
  UnitOfWork.layer,
  Webhooks.layer,
  FirstSteps.layer.pipe(Layer.provideMerge(Layer.mergeAll(Ledger.layer, Sweeps.layer)))
).pipe(Layer.provideMerge(Builders.layer))
