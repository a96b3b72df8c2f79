/** Rules of what a sweep costs: protocol fee, network fee, markup, and the gas that the relayer pays for. */
import type { Mutant } from "../Mutant.ts"

const FEES = "src/domain/Fees.ts"
const GAS = "src/domain/RelayGas.ts"

export const fees: ReadonlyArray<Mutant> = [
  {
    name: "the protocol fee rounds down",
    file: FEES,
    text: "mulDivUp(options.amountIn, rate, BPS)",
    replacement: "mulDivDown(options.amountIn, rate, BPS)",
    tests: ["test/domain/Fees.test.ts"]
  },
  {
    name: "a subscriber's protocol fee rounds down",
    file: FEES,
    text: "mulDivUp(options.amountIn, rate * BigInt(policy.subscriberShareBps), BPS * BPS)",
    replacement: "mulDivDown(options.amountIn, rate * BigInt(policy.subscriberShareBps), BPS * BPS)",
    tests: ["test/domain/Fees.test.ts"]
  },
  {
    name: "only owners without a subscription pay the reduced rate",
    file: FEES,
    text: "return options.subscriptionActive",
    replacement: "return !options.subscriptionActive",
    tests: ["test/domain/Fees.test.ts"]
  },
  {
    name: "the markup rounds up",
    file: FEES,
    text: "mulDivDown(amountIn, BigInt(builderBps), BPS)",
    replacement: "mulDivUp(amountIn, BigInt(builderBps), BPS)",
    tests: ["test/domain/Fees.test.ts"]
  },
  {
    name: "the network fee has no margin",
    file: FEES,
    text: "options.cost * (BPS + BigInt(policy.networkMarginBps))",
    replacement: "options.cost * BPS",
    tests: ["test/domain/Fees.test.ts"]
  },
  {
    name: "the network fee rounds down",
    file: FEES,
    text: "mulDivUp(\n    options.cost",
    replacement: "mulDivDown(\n    options.cost",
    tests: ["test/domain/Fees.test.ts"]
  },
  {
    name: "fees may take the whole amount",
    file: FEES,
    text: "return total < parts.amountIn",
    replacement: "return total <= parts.amountIn",
    tests: ["test/domain/Fees.test.ts"]
  },
  {
    name: "the markup is left out of the total",
    file: FEES,
    text: "const total = feeAmount + parts.builderFee",
    replacement: "const total = feeAmount",
    tests: ["test/domain/Fees.test.ts"]
  },
  {
    name: "a route promises what a larger amount would buy",
    file: "src/adapters/swap/Curves.ts",
    text: "const amountOut = low.amountOut + rise",
    replacement: "const amountOut = high.amountOut",
    tests: ["test/adapters/swap/UniswapV3.test.ts"]
  },
  {
    name: "the fee of a rollup's data is not charged",
    file: "src/domain/CostMemory.ts",
    text: "gas * gasPrice + dataFee",
    replacement: "gas * gasPrice",
    tests: ["test/orchestrator/quote/Pricing.test.ts"]
  },
  {
    name: "the first cost of a pair ignores the gas of its route",
    file: "src/orchestrator/quote/FirstPass.ts",
    text: "return cost === undefined || Repricing",
    replacement: "return cost !== undefined || Repricing",
    tests: ["test/orchestrator/quote/FirstPass.test.ts"]
  },
  {
    name: "fees of an assumed cost refuse a sweep across chains",
    file: "src/orchestrator/quote/FirstPass.ts",
    text: "if (isOnOneChain(terms) || least >= tried) return false",
    replacement: "return false",
    tests: ["test/orchestrator/quote/FirstPass.test.ts"]
  },
  {
    name: "a quote ignores the maximum network fee of its request",
    file: "src/orchestrator/quote/Pricing.ts",
    text: "networkFee <= maxNetworkFee",
    replacement: "networkFee >= 0n",
    tests: ["test/orchestrator/quote/Pricing.test.ts"]
  },
  {
    name: "a fee that the destination receives counts as output of a quote",
    file: "src/orchestrator/quote/Pricing.ts",
    text: "yield* refuseCountedFee(terms)",
    replacement: "yield* Effect.void",
    tests: ["test/orchestrator/quote/Quoter.countedFee.test.ts"]
  },
  {
    name: "an order whose fee counts as its output is accepted",
    file: "src/orchestrator/intake/SubmissionRefused.ts",
    text: "Destination.countsFees(chain, order, payees)",
    replacement: "Destination.countsFees(chain, order, [])",
    tests: ["test/orchestrator/intake/Intake.refusals.test.ts", "test/orchestrator/intake/SweepIntake.test.ts"]
  },
  {
    name: "a builder with on-chain payouts is paid through the vault, and the other way round",
    file: "src/orchestrator/quote/Attributing.ts",
    text: 'address: payoutMode === "onchain" ?',
    replacement: 'address: payoutMode !== "onchain" ?',
    tests: ["test/orchestrator/quote/Attributing.test.ts"]
  },
  {
    name: "a sweep's gas limit does not cover what it found warm behind others",
    file: GAS,
    text: "index === 0 ? gasUsed : gasUsed + SHARED_ACCESS_GAS",
    replacement: "gasUsed",
    tests: ["test/domain/RelayGas.test.ts"]
  },
  {
    name: "a batch's gas limit does not cover the 64th that its last call cannot use",
    file: GAS,
    text: "items.reduce((most, gas) => (gas > most ? gas : most), 0n) / 63n",
    replacement: "items.reduce((most, gas) => (gas > most ? gas : most), 0n) / 6_300n",
    tests: ["test/domain/RelayGas.test.ts"]
  },
  {
    name: "a replacement raises fees by less than nodes ask for",
    file: "src/domain/FeeBump.ts",
    text: "const STEP_DIVISOR = 8n",
    replacement: "const STEP_DIVISOR = 11n",
    tests: ["test/domain/FeeBump.test.ts"]
  }
]
