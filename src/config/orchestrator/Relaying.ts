/** Settings of the relayer and the watcher. */
import { addresses, BPS, chainIds, integer, list, optional, POSITIVE, setting, wei } from "../Setting.ts"

export const relaying = {
  minLaneBalance: setting({
    name: "MIN_LANE_BALANCE_WEI",
    default: 10n ** 16n,
    check: wei,
    meaning:
      "Minimum balance of a lane, in wei. A lane below it pauses and raises an alert. A chain can have its own: `minLaneBalanceWei` in the chains file."
  }),
  laneRestRecipients: list({
    name: "LANE_REST_RECIPIENTS",
    check: addresses,
    meaning:
      "Addresses, separated by commas, that may receive the rest of a retired lane beside the other lanes. The admin token alone can send a lane's balance nowhere else."
  }),
  relayerBatch: setting({
    name: "RELAYER_BATCH",
    default: 64,
    check: integer({ from: 1, to: 100 }),
    meaning: "Maximum number of sweeps in one transaction."
  }),
  unlistedSweepGas: setting({
    name: "UNLISTED_SWEEP_GAS",
    default: 700_000,
    check: integer({ from: 0, to: 16_777_216 }),
    meaning:
      "Maximum gas limit of a sweep of or into a token that is not on its chain's list. A sweep that needs more gets no quote."
  }),
  pausedChains: list({
    name: "RELAYER_PAUSED_CHAINS",
    check: chainIds,
    meaning:
      "Ids of paused chains, separated by commas: no sweep that starts or arrives there is quoted, accepted or sent. Transactions already sent are followed until they conclude. `./sweep operate pause` and `resume` go before it."
  }),
  dailySpendCap: optional({
    name: "DAILY_SPEND_CAP_WEI",
    check: wei,
    meaning:
      "Maximum gas cost of all lanes of one chain in 24 hours, in wei. Above it, the relayer sends nothing there. Sweeps with unlisted tokens may lose a tenth of it, also if `UNLISTED_LOSS_BUDGET_WEI` allows more. A chain can have its own: `dailySpendCapWei` in the chains file."
  }),
  unlistedLossBudget: setting({
    name: "UNLISTED_LOSS_BUDGET_WEI",
    default: 2n * 10n ** 16n,
    check: wei,
    meaning:
      "Maximum loss of all sweeps with unlisted tokens on one chain in one hour, in wei of ETH. They lose at most five times as much in 24 hours, and at most a tenth of `DAILY_SPEND_CAP_WEI`. Payouts in native currency to contracts count as sweeps with unlisted tokens. With 0, these are refused as well, and only sweeps of listed tokens to other accounts are served. A chain with another native currency has about the same worth of it, or none if the currency is unknown. A chain can have its own: `unlistedLossBudgetWei` in the chains file."
  }),
  lossBudget: setting({
    name: "LOSS_BUDGET_WEI",
    default: 2n * 10n ** 16n,
    check: wei,
    meaning:
      "Loss of all sweeps of listed tokens on one chain in one hour, in wei of ETH, at which sweeps of owners and networks that caused losses wait. First sweeps have their own budget. One owner's sweeps in one transaction may cost what it has paid in network fees so far, and more while a second budget of the same size has room. A chain can have its own: `lossBudgetWei` in the chains file."
  }),
  firstSweepsLossBudget: setting({
    name: "FIRST_SWEEPS_LOSS_BUDGET_WEI",
    default: 4n * 10n ** 16n,
    check: wei,
    meaning:
      "Maximum loss of owners' first sweeps of listed tokens on one chain in one hour, in wei of ETH, above what first sweeps earned. An owner's sweeps are first ones until one of them has settled on the chain. Payouts in native currency to contracts are among them. Half of it is for owners who hold no gas of their own. While first sweeps have lost, owners whose tokens came from one account share an eighth of it. Sweeps beyond it wait. With 0, none is sent. A chain can have its own: `firstSweepsLossBudgetWei` in the chains file."
  }),
  networkFeeToleranceBps: setting({
    name: "NETWORK_FEE_TOLERANCE_BPS",
    default: 1_000,
    check: integer(BPS),
    meaning:
      "Excess of a sweep's present cost over the value of its network fee at which it is still sent, in basis points of the value. Above it, the sweep waits for a lower price of gas."
  }),
  networkFeeLossBps: setting({
    name: "NETWORK_FEE_LOSS_BPS",
    default: 5_000,
    check: integer(BPS),
    meaning:
      "Maximum loss on a sweep whose gas becomes dearer after it was sent, in basis points of the value of its network fee. No version of its transaction may cost more. `LOSS_BUDGET_WEI` limits the losses of an hour."
  }),
  ownerFailureBudget: setting({
    name: "OWNER_FAILURE_BUDGET",
    default: 3,
    check: integer(POSITIVE),
    meaning: "Failed sweeps of one owner in one hour, after which further sweeps of the owner wait."
  }),
  builderFailureBudget: setting({
    name: "BUILDER_FAILURE_BUDGET",
    default: 50,
    check: integer(POSITIVE),
    meaning: "Failed sweeps of one builder in one hour, at which the alert `builder_failing` is raised."
  }),
  relayerPollMillis: setting({
    name: "RELAYER_POLL_MILLIS",
    default: 1_000,
    check: integer(POSITIVE),
    meaning: "Interval at which the relayer looks for work that no event announced, in milliseconds."
  }),
  rebroadcastSeconds: setting({
    name: "REBROADCAST_SECONDS",
    default: 15,
    check: integer(POSITIVE),
    meaning: "Age at which an unconfirmed transaction is broadcast again, in seconds."
  }),
  bumpSeconds: setting({
    name: "BUMP_SECONDS",
    default: 45,
    check: integer(POSITIVE),
    meaning: "Age at which an unconfirmed transaction is replaced with higher fees, in seconds."
  }),
  watcherPollMillis: setting({
    name: "WATCHER_POLL_MILLIS",
    default: 1_000,
    check: integer(POSITIVE),
    meaning: "Interval at which the watcher looks for work, in milliseconds. It reads a chain only while there is some."
  })
} as const
