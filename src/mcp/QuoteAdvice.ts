/** Tells an agent why there is no quote, and its next step. */
import { MEANINGS, type QuoteReason } from "../domain/QuoteReason.ts"
import { failure, type ToolFailure } from "./ToolFailure.ts"

const AGAIN = "call get_quote again in a moment with the same arguments."
const OTHER_TOKEN = "stop, or sweep another token."

const NEXT: Readonly<Record<QuoteReason, string>> = {
  fees_exceed_amount: "try a larger amountIn, or wait until the network costs less.",
  network_fee_above_maximum: "wait until the network costs less.",
  no_route: "try another tokenOut or destChainId, or a `route` hint.",
  insufficient_balance: "try an amountIn that the owner holds. get_portfolio tells the balances.",
  unavailable: "try a smaller amountIn or another token, or the same later.",
  no_price: OTHER_TOKEN,
  chain_unavailable: "call get_quote again in a few minutes, or choose another chain.",
  same_token: "choose another tokenOut or destChainId.",
  unsupported_chain: "choose a chain that the service serves, and name the source chain in `route`.",
  owner_is_a_contract: "stop: only an account with a key of its own can be swept.",
  would_revert: OTHER_TOKEN,
  screening_unavailable: AGAIN,
  busy: AGAIN
}

/** The failure of a quote that was refused with a reason, or with none by a release that tells none. */
export const refused = (reason: QuoteReason | undefined): ToolFailure =>
  reason === undefined
    ? failure(
        "No quote is available. The service masks the reason: fees may reach the amount, the token may be declined, or no route may exist.",
        "try a larger amountIn, another tokenOut or destChainId, or a `route` hint."
      )
    : failure(`No quote is available. ${MEANINGS[reason]}`, NEXT[reason])
