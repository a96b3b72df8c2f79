/** Builders: integrators that embed the sweep and earn a markup on it (spec, "Builder"). */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { BUILDER_ID, BUILDER_ID_FORM } from "./BuilderId.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import { plainText } from "./PlainText.ts"

/**
 * Way in which a builder's markup is paid. `onchain`: the sweep transfers it to the builder. `ledger`: the ledger owes
 * it, and payout batches pay it.
 */
export const PayoutMode = Schema.Literals(["onchain", "ledger"]).annotate({ identifier: "PayoutMode" })
export type PayoutMode = typeof PayoutMode.Type

const Bps = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Builder that owns an API key (spec, "Attribution result"). `payoutMode` and `walletChainId` are additions, absent from older backends.
 */
export const Attribution = Schema.Struct({
  builderId: described(Schema.String, "Identifier of the builder."),
  builderBps: described(Bps, "Markup in basis points."),
  maxBuilderBps: described(Bps, "Cap of the markup in basis points."),
  payoutAddress: described(Address.NonZeroAddress, "Wallet that signs in and is paid."),
  payoutMode: described(
    Schema.optionalKey(PayoutMode),
    "Payout mode: the way in which the markup reaches the builder."
  ),
  walletChainId: described(
    Schema.optionalKey(ChainId),
    "Chain of the builder's contract wallet. Sweeps of other chains do not pay its address. Absent if the address may be paid on every chain."
  )
}).annotate({ identifier: "Attribution" })
export type Attribution = typeof Attribution.Type

/**
 * True if the builder's payout address may be paid on this chain. The address of a contract wallet can belong to somebody else on
 * another chain than its own.
 */
export const isPayableOn = ({ walletChainId }: { readonly walletChainId?: ChainId }, chainId: ChainId): boolean =>
  walletChainId === undefined || walletChainId === chainId

/** Payout mode of a sweep on this chain. Default: `onchain`. Where the payout address may not be paid, the ledger owes the markup. */
export const payoutModeOn = (attribution: Attribution, chainId: ChainId): PayoutMode =>
  isPayableOn(attribution, chainId) ? (attribution.payoutMode ?? "onchain") : "ledger"

/** Applied markup in basis points: the configured one, limited by the cap. */
export const effectiveBps = (attribution: Attribution): number =>
  Math.min(attribution.builderBps, attribution.maxBuilderBps)

/**
 * Id of a builder. It appears in URLs, CSV files and logs, so it consists of characters without a special meaning
 * there.
 */
export const BuilderId = Schema.String.check(
  Schema.isPattern(BUILDER_ID, { message: `expected ${BUILDER_ID_FORM}` })
).annotate({ identifier: "BuilderId", description: "names a builder; chosen at registration, never changed" })

/** Id of a builder that signs up with its wallet (spec, "Builder"). */
export const selfSignupId = (wallet: Address.Address): string => `bld_${wallet.slice(2).toLowerCase()}`

/**
 * True if `id` has the form of a self-signup id. Operators cannot register such an id, since it belongs to a wallet.
 */
export const isSelfSignupId = (id: string): boolean => /^bld_[0-9a-f]{40}$/.test(id)

/** Largest markup: the whole amount. Quotes stay below it, since fees must be less than the amount. */
export const MAX_BPS = 10_000

/** Markup, or its cap, set by an operator. */
export const Markup = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: MAX_BPS }, { message: `expected an integer from 0 to ${MAX_BPS}` })
).annotate({ identifier: "Markup", description: "basis points; 1 bps = 0.01 %" })

/** Display name: 1 to 64 Unicode code points (spec, "Limits"). */
export const DisplayName = plainText({ minimum: 1, maximum: 64 }).annotate({
  identifier: "DisplayName",
  description: "1 to 64 characters, none of them a control character or one that changes the direction of text"
})

/** Builder on the wire (spec, "Builder"). */
export const Builder = Schema.Struct({
  id: described(Schema.String, "Identifier of the builder."),
  name: described(Schema.String, "Display name."),
  builderBps: described(Bps, "Markup in basis points."),
  maxBuilderBps: described(Bps, "Cap of the markup in basis points."),
  payoutAddress: described(Address.Address, "Wallet that signs in and is paid."),
  createdAtMs: described(Schema.Int, "UNIX time in milliseconds when the builder was registered.")
}).annotate({ identifier: "Builder" })
export type Builder = typeof Builder.Type

/** Builder with the fields that only operators see. */
export const BuilderAccount = Schema.Struct({
  ...Builder.fields,
  payoutMode: described(PayoutMode, "Payout mode: the way in which the markup reaches the builder."),
  suspendedAtMs: described(
    Schema.optionalKey(Schema.Int),
    "UNIX time in milliseconds of the suspension, during which the API key attributes nothing. Absent if the builder is active."
  ),
  walletChainId: described(
    Schema.optionalKey(ChainId),
    "Chain on which the builder's contract wallet signs in. Absent for a wallet with a key, and until a contract wallet signs in."
  )
}).annotate({ identifier: "BuilderAccount" })
export type BuilderAccount = typeof BuilderAccount.Type

/** Fields of an account that are public. */
export const publicView = ({
  builderBps,
  createdAtMs,
  id,
  maxBuilderBps,
  name,
  payoutAddress
}: BuilderAccount): Builder => ({ id, name, builderBps, maxBuilderBps, payoutAddress, createdAtMs })
