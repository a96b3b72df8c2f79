/** Rules of prices that an attacker cannot set, and of fees that are worth their gas. */
import type { Mutant } from "../Mutant.ts"

const READINGS = "src/domain/PriceReadings.ts"
const MEASURING = "src/adapters/prices/PoolMeasuring.ts"

export const prices: ReadonlyArray<Mutant> = [
  {
    name: "a trade of this moment sets the price of a pool",
    file: READINGS,
    text: "Math.abs(away) <= toleranceTicks",
    replacement: "Math.abs(away) >= 0",
    tests: ["test/domain/PriceReadings.test.ts"]
  },
  {
    name: "liquidity of this moment weighs as much as that of the whole window",
    file: READINGS,
    text: "meanLiquidity >= liquidity",
    replacement: "meanLiquidity >= 0n",
    tests: ["test/domain/PriceReadings.test.ts"]
  },
  {
    name: "half of the pools set a price against the other half",
    file: READINGS,
    text: "3n * near >= 2n * sum(prices)",
    replacement: "2n * near >= sum(prices)",
    tests: ["test/domain/PriceReadings.test.ts"]
  },
  {
    name: "one source moves the price of a listed token at once",
    file: "src/domain/PriceReview.ts",
    text: "isConfirmed || isWithin(price, good.price, tolerance)",
    replacement: "isConfirmed || isWithin(price, price, tolerance)",
    tests: ["test/domain/PriceReview.test.ts"]
  },
  {
    name: "a young pool counts",
    file: MEASURING,
    text: "found.filter(({ pool }) => old.has(pool))",
    replacement: "found.filter(({ pool }) => old.has(pool) || true)",
    tests: ["test/adapters/prices/AttackedPools.test.ts"]
  },
  {
    name: "a pool without a mean counts by its present state",
    file: MEASURING,
    text: "flatMap((trip) => Option.toArray(steadied(trip)))",
    replacement: "flatMap((trip) => [trip])",
    tests: ["test/adapters/prices/AttackedPools.test.ts"]
  },
  {
    name: "a narrow pool counts",
    file: MEASURING,
    text: "weight >= minDepth",
    replacement: "weight >= 0n",
    tests: ["test/adapters/prices/AttackedPools.test.ts"]
  },
  {
    name: "an old round of a feed counts",
    file: "src/adapters/prices/Chainlink.ts",
    text: "age <= heartbeatSeconds + graceSeconds(heartbeatSeconds)",
    replacement: "age <= heartbeatSeconds * 1_000",
    tests: ["test/adapters/prices/Chainlink.test.ts"]
  },
  {
    name: "a token knows the account that rehearses it",
    file: "src/adapters/evm/chains/Calls.ts",
    text: "Effect.replicateEffect(Random.nextIntBetween(0, 2 ** 32 - 1), 5)",
    replacement: "Effect.succeed([1, 2, 3, 4, 5])",
    tests: ["test/adapters/evm/chains/Surroundings.test.ts"]
  },
  {
    name: "a fee in an unlisted token counts without the haircut",
    file: "src/adapters/prices/FeeSale.ts",
    text: "(got * (BPS - BigInt(haircutBps))) / BPS",
    replacement: "got",
    tests: ["test/adapters/prices/FeeSale.test.ts"]
  },
  {
    name: "a fee in a pool that counts is valued alone",
    file: "src/adapters/prices/PoolSales.ts",
    text: "least(wei, most((output * sold) / most(asked, whole), (wei * sold) / whole))",
    replacement: "wei",
    tests: ["test/adapters/prices/FeeSale.test.ts"]
  },
  {
    name: "a fee that does not sell for its gas is quoted",
    file: "src/orchestrator/quote/FeeWorth.ts",
    text: "|| value >= cost",
    replacement: "|| value >= 0n",
    tests: ["test/orchestrator/quote/FeeWorth.test.ts"]
  },
  {
    name: "a fee in an unlisted token covers what it was charged for",
    file: "src/orchestrator/quote/FeeWorth.ts",
    text: "return worth < charged ? worth : charged",
    replacement: "return worth > charged ? worth : charged",
    tests: ["test/orchestrator/quote/FeeWorth.test.ts"]
  },
  {
    name: "a quote forgets that an exchange said nothing about its fee",
    file: "src/orchestrator/quote/Pricing.ts",
    text: "priced.order, priced.worth, cost",
    replacement: "priced.order, priced.cover, cost",
    tests: ["test/orchestrator/quote/Quoter.refusals.test.ts"]
  },
  {
    name: "a silence in a later pass refuses what an earlier one covers",
    file: "src/orchestrator/quote/Pricing.ts",
    text: "FeeWorth.requireKnown(pass.priced.worth, pass.cost)",
    replacement: "Effect.void",
    tests: ["test/orchestrator/quote/Pricing.silence.test.ts"]
  },
  {
    name: "a fee that its recipient has moved is worth nothing during a silence",
    file: "src/adapters/prices/FeeSale.ts",
    text: "unpaid !== undefined && elsewhere",
    replacement: "elsewhere",
    tests: ["test/adapters/prices/FeeSale.silence.test.ts"]
  },
  {
    name: "a fee is booked for less than was known of it",
    file: "src/orchestrator/watch/Booking.ts",
    text: "return proceeds > known ? proceeds : known",
    replacement: "return proceeds",
    tests: ["test/orchestrator/watch/Booking.test.ts"]
  },
  {
    name: "a fee is valued beside what its recipient held the last time",
    file: "src/adapters/prices/VenueSales.ts",
    text: "held.value === last ? likely",
    replacement: "held.value >= 0n ? likely",
    tests: ["test/adapters/prices/VenueSales.memory.test.ts"]
  },
  {
    name: "more of a fee is sold than arrives",
    file: "src/adapters/prices/SaleRehearsal.ts",
    text: "amount > 0n && amount <= arrived && (arrived",
    replacement: "amount > 0n && (arrived",
    tests: ["test/adapters/prices/VenueSales.test.ts"]
  },
  {
    name: "a fee is still valued, and promised, after its quote has failed",
    file: "src/orchestrator/quote/Valuing.ts",
    text: "Effect.forkIn(valuation, scope)",
    replacement: "Effect.forkDetach(valuation)",
    tests: ["test/orchestrator/quote/Valuing.test.ts"]
  },
  {
    name: "two valuations of one order run at the same time",
    file: "src/orchestrator/quote/Valuing.ts",
    text: "if (running !== undefined) yield* Fiber.interrupt(running)",
    replacement: "",
    tests: ["test/orchestrator/quote/Valuing.test.ts"]
  }
]
