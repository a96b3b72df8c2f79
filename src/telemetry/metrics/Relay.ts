/** Lanes, their transactions and their money. */
import { counter, gauge } from "../Family.ts"

const CHAIN = { chain_id: "Id of the chain." } as const
const LANE = { ...CHAIN, lane: "Address of the lane." } as const

export const LANE_BALANCE = gauge({
  name: "sweep_lane_balance",
  help: "Balance of a lane in use, in units of the native currency. It is read once a minute.",
  labels: LANE
})

export const LANE_MINIMUM = gauge({
  name: "sweep_lane_balance_minimum",
  help: "Balance below which a lane sends nothing, in units of the native currency.",
  labels: CHAIN
})

export const LANE_IN_FLIGHT = gauge({
  name: "sweep_lane_in_flight",
  help: "Transactions of a lane without a confirmed block.",
  labels: LANE
})

export const LANE_OLDEST = gauge({
  name: "sweep_lane_oldest_seconds",
  help: "Age of a lane's oldest transaction that is in no block, in seconds. 0 if there is none.",
  labels: LANE
})

export const LANE_NONCE_GAP = gauge({
  name: "sweep_lane_nonce_gap",
  help: "Nonces that no transaction has, between those of a lane's lowest and highest transactions without a confirmed block.",
  labels: LANE
})

export const BROADCASTS = counter({
  name: "sweep_relay_broadcasts_total",
  help: "Transactions that were offered to nodes, each version by itself.",
  labels: { ...CHAIN, answer: "`accepted`, `refused` or `unknown`." }
})

export const TRANSACTIONS = counter({
  name: "sweep_relay_transactions_total",
  help: "Transactions that this process finished.",
  labels: CHAIN
})

export const SWEEPS_SENT = counter({
  name: "sweep_relay_sweeps_total",
  help: "Sweeps of the transactions that this process finished.",
  labels: CHAIN
})

export const GAS_SPENT = counter({
  name: "sweep_gas_spent_total",
  help: "Cost of the transactions that this process finished, in units of the native currency.",
  labels: CHAIN
})

export const FEES_EARNED = counter({
  name: "sweep_fees_earned_usd_total",
  help: "Fees of the sweeps that this process settled, in US dollars as they were quoted.",
  labels: { ...CHAIN, fee: "`protocol`, `network` or `builder`." }
})

export const EXPOSURE = gauge({
  name: "sweep_exposure",
  help: "Losses and reservations of a chain, in units of the native currency.",
  labels: {
    ...CHAIN,
    class: "`listed`, `unlisted`, `first` or `first_unfunded`: the widest classes of exposure.",
    sum: "`lost_hour`, `lost_day`, `earned_day` or `reserved`."
  }
})

export const EXPOSURE_BUDGET = gauge({
  name: "sweep_exposure_budget",
  help: "Losses that the operator accepts in an hour, in units of the native currency.",
  labels: { ...CHAIN, class: "`listed`, `unlisted` or `first`." }
})
