/** API client of the console. It is the only one that sends the operator's token. */
import type { Console } from "../../api/builder/ConsoleApi.ts"
import type { Operations } from "../../api/builder/OperationsApi.ts"
import type { Stories } from "../../api/builder/StoriesApi.ts"
import * as AdminToken from "../api/adminToken.ts"
import { callerOf, callsOf } from "../api/backend.ts"

const adminToken = (): Readonly<Record<string, string>> => {
  const token = AdminToken.current()
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

export const client = {
  console: callsOf<typeof Console>(adminToken)({
    builders: "GET /admin/builders",
    registerBuilder: "POST /admin/builders",
    builder: "GET /admin/builders/:id",
    patchBuilder: "PATCH /admin/builders/:id",
    builderAccruals: [
      "GET /admin/builders/:id/accruals",
      { claimed: true, earned: true, owed: true, paid: true, unclaimed: true }
    ],
    builderEntries: ["GET /admin/builders/:id/entries", { earned: true, paid: true }],
    reverseAccrual: "POST /admin/accruals/reverse",
    payouts: ["GET /admin/payouts", { amount: true, minAmount: true, total: true }],
    openPayout: ["POST /admin/payouts", { amount: true, minAmount: true, total: true }],
    payout: ["GET /admin/payouts/:id", { amount: true, minAmount: true, total: true }],
    payoutCsv: "GET /admin/payouts/:id/csv",
    payoutSafe: "GET /admin/payouts/:id/safe",
    markPayoutPaid: ["POST /admin/payouts/:id/paid", { amount: true, minAmount: true, total: true }],
    failPayout: ["POST /admin/payouts/:id/fail", { amount: true, minAmount: true, total: true }],
    revenue: ["GET /admin/revenue", { amount: true }],
    treasury: [
      "GET /admin/treasury",
      { claimed: true, earned: true, owed: true, paid: true, unclaimed: true, vaultBalance: true }
    ],
    audit: "GET /admin/audit",
    alerts: "GET /admin/alerts",
    clearAlert: "POST /admin/alerts/clear"
  }),
  operations: callsOf<typeof Operations>(adminToken)({
    health: ["GET /admin/operations/health", { balance: true, blockNumber: true, dailyCap: true, spent: true }],
    alerts: "GET /admin/operations/alerts",
    stuck: ["GET /admin/operations/intents", { deadline: true }],
    treasury: [
      "GET /admin/operations/treasury",
      {
        amount: true,
        amountOut: true,
        arrived: true,
        collected: true,
        feeAmount: true,
        held: true,
        lost: true,
        rest: true,
        sell: true,
        sold: true,
        unexplained: true
      }
    ],
    money: ["GET /admin/operations/money", { unpricedWei: true }],
    find: ["GET /admin/operations/find", { amountIn: true }],
    story: [
      "GET /admin/operations/intents/:id",
      {
        amount: true,
        amountIn: true,
        amountOut: true,
        atBlock: true,
        blockNumber: true,
        builderFee: true,
        cost: true,
        coveredGas: true,
        coveredGasPrice: true,
        deadline: true,
        destChainId: true,
        estimatedAmountOut: true,
        feeAmount: true,
        gasLimit: true,
        maxFeePerGas: true,
        maxPriorityFeePerGas: true,
        minAmount: true,
        minAmountOut: true,
        nonce: true,
        total: true
      }
    ],
    pauses: "GET /admin/operations/pauses",
    changePause: "POST /admin/operations/pauses",
    retry: "POST /admin/operations/intents/:id/retry"
  }),
  stories: callsOf<typeof Stories>(adminToken)({
    find: ["GET /admin/find", { amount: true, minAmount: true, total: true }],
    books: ["GET /admin/sweeps/:id", { amountIn: true, builderFee: true, earned: true, minAmountOut: true, paid: true }]
  })
}

export const call = callerOf(client)
