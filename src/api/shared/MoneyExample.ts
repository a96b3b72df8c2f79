/** Example of earnings and costs, for the documentation of both services. */
const sums = {
  sweeps: 1204,
  unpricedSweeps: 12,
  failed: 3,
  feesUsd: "412.07",
  gasUsd: "96.31",
  failuresUsd: "1.2",
  netUsd: "314.56",
  isGasPriced: true
}

export const moneyExample = {
  days: 30,
  fromDay: "2026-01-02",
  total: sums,
  chains: [{ chainId: 8453, ...sums, unpricedWei: "0" }],
  builders: [{ builderId: "acme", ...sums }],
  tiers: [{ tier: "tier1", ...sums }]
}
