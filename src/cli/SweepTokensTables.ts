/** Text of `./sweep sweep`: the reviewed orders, and how each token ended. */
import { formatUnits } from "viem"
import type { Hex } from "../domain/Hex.ts"
import type { BatchReview, Intent, ListedToken, ReviewedLeg } from "../sdk/index.ts"
import { table } from "./Table.ts"

interface TokenAmount {
  readonly chainId: number
  readonly token: Hex
  readonly amount: bigint
}

/** Writes amounts in whole tokens with their symbols. A token that is not listed has its smallest unit and its address. */
export const amounts = (listed: ReadonlyArray<ListedToken>) => {
  const known = new Map(listed.map((token) => [`${token.chainId}:${token.address.toLowerCase()}`, token]))
  return ({ amount, chainId, token }: TokenAmount): string => {
    const found = known.get(`${chainId}:${token.toLowerCase()}`)
    return found === undefined ? `${amount} of ${token}` : `${formatUnits(amount, found.decimals)} ${found.symbol}`
  }
}

type Show = ReturnType<typeof amounts>

const legRow = ({ fees, receive, send }: ReviewedLeg, show: Show): ReadonlyArray<string> => [
  String(send.chainId),
  show(send),
  show({ ...send, amount: fees.protocol }),
  show({ ...send, amount: fees.builder }),
  show({ chainId: receive.chainId, token: receive.token, amount: receive.minAmount }),
  String(receive.chainId),
  receive.guaranteedBy,
  receive.destination
]

/** Accounts that receive the builder's fees. */
const builders = (legs: ReadonlyArray<ReviewedLeg>): ReadonlyArray<string> => [
  ...new Set(legs.flatMap(({ fees }) => (fees.builderAddress === undefined ? [] : [fees.builderAddress])))
]

/** The last time at which one of the orders can settle. */
const lastDeadline = (legs: ReadonlyArray<ReviewedLeg>): Date =>
  new Date(Math.max(...legs.map(({ deadline }) => deadline.getTime())))

/** The orders to sign, each token that is left out, and every warning. */
export const asReview = ({ authorizations, expiresAt, leftOut, legs }: BatchReview, show: Show): string =>
  [
    table(
      ["CHAIN", "SEND", "PROTOCOL FEE", "BUILDER FEE", "RECEIVE AT LEAST", "ON CHAIN", "GUARANTEED BY", "RECEIVER"],
      legs.map((leg) => legRow(leg, show))
    ),
    ...leftOut.map(
      ({ chainId, mismatches, reason, token }) =>
        `left out ${token} on chain ${chainId}: ${[reason, ...mismatches.map(({ detail, field }) => `${field} ${detail}`)].join("; ")}`
    ),
    ...legs.flatMap(({ receive, send, warnings }) =>
      warnings.map(
        (warning) => `warning for ${send.token} on chain ${send.chainId} to ${receive.destination}: ${warning}`
      )
    ),
    ...builders(legs).map((account) => `builder fees go to ${account}`),
    `submit until ${expiresAt.toISOString()}, the orders can settle until ${lastDeadline(legs).toISOString()}`,
    `to sign: 1 batch of ${legs.length} orders, ${authorizations.length} authorizations`
  ].join("\n")

/** One row for each token, in signing order. */
export const asOutcome = ({ legs }: BatchReview, intents: ReadonlyArray<Intent>, show: Show): string =>
  table(
    ["CHAIN", "SENT", "STATUS", "TRANSACTION", "DELIVERED BY"],
    legs.map(({ quoteId, send }) => {
      const intent = intents.find(({ id }) => id === quoteId)
      const status = intent?.failureReason === undefined ? intent?.status : `${intent.status}: ${intent.failureReason}`
      return [
        String(send.chainId),
        show(send),
        status ?? "unknown",
        intent?.txHash ?? "–",
        intent?.deliveryTxHash ?? "–"
      ]
    })
  )
