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
  show({ ...send, amount: fees.total }),
  show({ chainId: receive.chainId, token: receive.token, amount: receive.minAmount }),
  String(receive.chainId),
  receive.guaranteedBy
]

/** The orders to sign, each token that is left out, and every warning. */
export const asReview = ({ leftOut, legs, authorizations }: BatchReview, show: Show): string =>
  [
    table(
      ["CHAIN", "SEND", "FEES", "RECEIVE AT LEAST", "ON CHAIN", "GUARANTEED BY"],
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
