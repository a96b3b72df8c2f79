/** Every use case of the builder backend. */
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Accounts from "./account/Accounts.ts"
import * as Bookkeeping from "./ledger/Bookkeeping.ts"
import * as PayoutDesk from "./payout/PayoutDesk.ts"
import * as SignIn from "./account/SignIn.ts"
import * as SweepReports from "./ledger/SweepReports.ts"
import * as Treasury from "./ledger/Treasury.ts"
import * as WebhookDesk from "./webhook/WebhookDesk.ts"

/** Needs the builder's stores, `Chains`, `SignInMessages`, `WalletSignatures` and `BuilderSettings`. */
export const layer = Layer.mergeAll(
  Accounts.layer,
  Bookkeeping.layer,
  PayoutDesk.layer,
  SignIn.layer,
  SweepReports.layer,
  Treasury.layer,
  WebhookDesk.layer
).pipe(Layer.provide(SecureRandom.layerWebCrypto))
