/** Every use case of the builder backend. */
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Accounts } from "./account/Accounts.ts"
import { KeyDesk } from "./account/KeyDesk.ts"
import { KeyUses } from "./account/KeyUses.ts"
import { SignIn } from "./account/SignIn.ts"
import { Bookkeeping } from "./ledger/Bookkeeping.ts"
import { SweepBooks } from "./ledger/SweepBooks.ts"
import { SweepReports } from "./ledger/SweepReports.ts"
import { Treasury } from "./ledger/Treasury.ts"
import { PayoutDesk } from "./payout/PayoutDesk.ts"
import { Readiness } from "./shared/Readiness.ts"
import { WebhookDesk } from "./webhook/WebhookDesk.ts"

/** Requires the builder's stores, `Chains`, `Screening`, `SignInMessages`, `VaultBalances`, `WalletSignatures` and `BuilderSettings`. */
export const layer = Layer.mergeAll(
  Accounts.layer,
  Bookkeeping.layer,
  PayoutDesk.layer,
  Readiness.layer,
  SignIn.layer,
  SweepBooks.layer,
  SweepReports.layer,
  Treasury.layer,
  WebhookDesk.layer
).pipe(Layer.provideMerge(KeyDesk.layer.pipe(Layer.provide(KeyUses.layer))), Layer.provide(SecureRandom.layerWebCrypto))
