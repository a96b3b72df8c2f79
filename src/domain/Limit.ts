/** Limits of a chain that an operator can change while the service runs: what it spends, what it may lose, and its price of gas. */
import { Option, Schema } from "effect"
import { Uint256 } from "./Amount.ts"
import type { Chain } from "./Chain.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"

/** Fields of the chains file, all in wei. */
export const NAMES = [
  "dailySpendCapWei",
  "unlistedLossBudgetWei",
  "lossBudgetWei",
  "firstSweepsLossBudgetWei",
  "maxFeePerGasWei"
] as const

export const LimitName = Schema.Literals(NAMES)
export type LimitName = typeof LimitName.Type

/** A limit of one chain. */
export const LimitSubject = Schema.Struct({
  chainId: described(ChainId, "Chain."),
  limit: described(
    LimitName,
    "Limit, by its name in the chains file: gas cost of all lanes in 24 hours, loss of sweeps with unlisted tokens in one hour, loss of sweeps of listed tokens in one hour, loss of first sweeps in one hour, or maximum fee per gas."
  )
}).annotate({ identifier: "LimitSubject" })
export type LimitSubject = typeof LimitSubject.Type

/** Value that an operator chose for a limit, in wei of the chain. */
export interface LimitChoice extends LimitSubject {
  readonly wei: bigint
}

/** Name of a limit, unique among limits. */
export const nameOf = ({ chainId, limit }: LimitSubject): string => `${chainId}:${limit}`

const decode = Schema.decodeUnknownOption(LimitSubject)

/** The limit with a name. Undefined if there is none. */
export const parse = (name: string): LimitSubject | undefined => {
  const [chainId, limit] = name.split(":")
  const subject = Option.getOrUndefined(decode({ chainId: Number(chainId), limit }))
  return subject !== undefined && nameOf(subject) === name ? subject : undefined
}

/** The chain with the operator's choices in place of its own limits. */
export const limited = (chain: Chain, choices: ReadonlyArray<LimitChoice>): Chain => {
  const own = choices.filter(({ chainId }) => chainId === chain.id)
  return own.length === 0 ? chain : { ...chain, ...Object.fromEntries(own.map(({ limit, wei }) => [limit, wei])) }
}

/** Change of a limit, as operators request it. */
export const ChangeOfLimit = Schema.Struct({
  subject: described(LimitSubject, "Limit to change."),
  wei: described(
    Schema.NullOr(Uint256),
    "New value in wei of the chain. Null drops the operator's choice, so that the settings hold again."
  ),
  reason: described(
    Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
    "Reason of the change, for the record. Default: none."
  )
}).annotate({ identifier: "LimitChange" })
export type ChangeOfLimit = typeof ChangeOfLimit.Type

/** A limit, with the setting that holds without a choice of the operator. */
export const LimitView = Schema.Struct({
  subject: described(LimitSubject, "Limit."),
  wei: described(Schema.NullOr(Uint256), "Value that holds, in wei of the chain. Null without a limit."),
  configured: described(
    Schema.NullOr(Uint256),
    "Value by the chains file and the settings, which a cleared choice restores. Null without a limit."
  ),
  chosen: described(
    Schema.NullOr(
      Schema.Struct({
        wei: described(Uint256, "Value that the operator chose."),
        actor: described(Schema.String, "Who chose it."),
        reason: described(Schema.String, "Reason. Empty if none was given."),
        sinceMs: described(Schema.Int, "UNIX time in milliseconds of the change.")
      })
    ),
    "Choice of the operator in place of the setting. Null if there is none."
  )
}).annotate({ identifier: "Limit" })
export type LimitView = typeof LimitView.Type
