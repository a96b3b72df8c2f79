/** Every use case of the builder backend. */
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Accounts from "./Accounts.ts"
import * as Bookkeeping from "./Bookkeeping.ts"
import * as PayoutDesk from "./PayoutDesk.ts"
import * as SignIn from "./SignIn.ts"
import * as SweepReports from "./SweepReports.ts"
import * as Treasury from "./Treasury.ts"
import * as WebhookDesk from "./WebhookDesk.ts"

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
