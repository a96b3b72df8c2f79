/** Texts and examples of the routes about collected fees. */
import { type ErrorRow, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { moneyExample } from "../shared/MoneyExample.ts"
import { id, txHash } from "./DocExamples.ts"

const DAI = "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb"
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const FEE_RECIPIENT = "0x2222222222222222222222222222222222222222"

const sale = {
  id: "12",
  chainId: 8453,
  seller: FEE_RECIPIENT,
  token: DAI,
  asset: USDC,
  amount: "250000000000000000000",
  rest: "0",
  openedAtMs: 1767225600000
}

export const TREASURY = {
  chains: [{ chainId: 8453, feeRecipient: FEE_RECIPIENT, asset: USDC, selling: "on" }],
  entries: [
    {
      chainId: 8453,
      token: DAI,
      collected: "312000000000000000000",
      sweeps: 410,
      sold: "249000000000000000000",
      proceeds: [{ token: USDC, amount: "248870000" }],
      arrived: "0",
      held: "63000000000000000000",
      lost: "0",
      unexplained: "0",
      valueUsd: "62.99",
      state: "sell",
      sell: "63000000000000000000",
      lots: 1
    }
  ],
  sales: [
    {
      ...sale,
      state: "settled",
      updatedAtMs: 1767225630000,
      intentId: id,
      feeAmount: "1000000000000000000",
      amountOut: "248870000",
      txHash
    }
  ],
  unavailableChains: [],
  lastRoundAtMs: 1767225600000,
  nextRoundAtMs: 1767312000000
}

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

const notConfigured = (settings: string): ErrorRow => [
  409,
  "treasury_not_configured",
  `${settings}: \`missing\` lists the settings to set`
]

export const treasury = documented({
  summary: "Get the books of collected fees",
  description: withErrors(
    "Fees that the fee recipient of each chain collected, sold and holds, by token, with the plan for each balance and the newest sales. Amounts are in the smallest unit of the token. `held` is read from the chain, everything else from settled sweeps, so `unexplained` shows every difference between them.",
    always
  ),
  response: { status: 200, body: TREASURY }
})

export const money = documented({
  summary: "Get earnings and costs",
  description: withErrors(
    "Fees of settled sweeps, the gas of settled sweeps, and the gas of failed ones, by chain, builder and token tier, in US dollars. Fees count at the price of their settlement, or of their quote if that is unknown. A fee in an unlisted token has no price, and is counted in `unpricedSweeps`. Fees of sales of the treasury are left out. Days are UTC days.",
    [[422, "<parameter>: <problem>", "a parameter is malformed"], ...always]
  ),
  response: { status: 200, body: moneyExample }
})

export const plan = documented({
  summary: "Get the plan of sales as a batch for a Safe",
  description: withErrors(
    "The sales that `GET /admin/treasury` plans on a chain, as a file that the Transaction Builder of the fee recipient's Safe imports: for each token, an approval of the exchange for the exact amount and the swap. The Safe swaps by itself, without the service. The batch can be run for a day. Nothing is recorded: the service sees what the Safe sold as `unexplained`.",
    [
      [422, "<parameter>: <problem>", "a parameter is malformed"],
      [404, "not found", "the chain is not configured"],
      notConfigured("the chain has no asset, or no vault of its own for builders"),
      [503, "chain unavailable", "the chain does not answer"],
      ...always
    ]
  ),
  response: {
    status: 200,
    body: {
      batch: {
        version: "1.0",
        chainId: "8453",
        createdAt: 1767225600000,
        meta: {
          name: "Sale of collected fees",
          description: `1 swaps into ${USDC}`,
          txBuilderVersion: "1.18.2",
          createdFromSafeAddress: FEE_RECIPIENT,
          createdFromOwnerAddress: "",
          checksum: txHash
        },
        transactions: []
      },
      leftOut: [
        {
          token: DAI,
          reason: "price_impact",
          detail: "the swap delivers 10, and 63000000 are wanted at the present prices"
        }
      ]
    }
  }
})

export const sell = documented({
  summary: "Sell collected fees now",
  description: withErrors(
    "Plans a round of sales without waiting for the schedule, and returns it. The sales run in the background: `GET /admin/treasury` shows their states. Safe to repeat: a token has one sale at a time.",
    [notConfigured("no chain has an asset, the fee recipient's key, and a vault of its own for builders"), ...always]
  ),
  response: { status: 200, body: { opened: [{ ...sale, state: "planned", updatedAtMs: 1767225600000 }] } }
})
