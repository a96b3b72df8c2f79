/** Sweeps as a CSV file, with amounts in the smallest unit and, for listed tokens, in whole tokens. */
import type { Sweep } from "../../../domain/Sweep.ts"
import type { TokenBook } from "../../api/tokens.ts"
import { exact } from "../../lib/amounts.ts"
import { toCsv } from "../../lib/csv.ts"

const COLUMNS = [
  "started",
  "updated",
  "intent_id",
  "status",
  "failure_reason",
  "owner",
  "source_chain_id",
  "token_in",
  "symbol_in",
  "amount_in",
  "amount_in_units",
  "markup",
  "markup_units",
  "dest_chain_id",
  "token_out",
  "symbol_out",
  "min_amount_out",
  "min_amount_out_units",
  "tx_hash",
  "delivery_tx_hash"
]

export const sweepsFile = (sweeps: ReadonlyArray<Sweep>, book: TokenBook): string =>
  toCsv(
    COLUMNS,
    sweeps.map((sweep) => {
      const tokenIn = book.token(sweep.sourceChainId, sweep.tokenIn)
      const tokenOut = book.token(sweep.destChainId, sweep.tokenOut)
      const whole = (amount: bigint, token: typeof tokenIn) =>
        token === undefined ? "" : exact(amount, token.decimals)
      return [
        new Date(sweep.startedAtMs).toISOString(),
        new Date(sweep.updatedAtMs).toISOString(),
        sweep.intentId,
        sweep.status,
        sweep.failureReason ?? "",
        sweep.owner,
        sweep.sourceChainId,
        sweep.tokenIn,
        tokenIn?.symbol ?? "",
        whole(sweep.amountIn, tokenIn),
        sweep.amountIn,
        whole(sweep.builderFee, tokenIn),
        sweep.builderFee,
        sweep.destChainId,
        sweep.tokenOut,
        tokenOut?.symbol ?? "",
        whole(sweep.minAmountOut, tokenOut),
        sweep.minAmountOut,
        sweep.txHash ?? "",
        sweep.deliveryTxHash ?? ""
      ]
    })
  )
