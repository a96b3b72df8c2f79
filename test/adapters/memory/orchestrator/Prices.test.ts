import { Effect } from "effect"
import * as Prices from "../../../../src/adapters/memory/orchestrator/Prices.ts"
import { NATIVE } from "../../../../src/domain/Token.ts"
import { suite } from "../../../ports/orchestrator/Prices.suite.ts"
import { address } from "../../../support/IntentFixtures.ts"

const USD = 10n ** 18n

suite(
  "memory",
  Prices.layer({
    prices: new Map([
      [
        1,
        new Map([
          [NATIVE, 3_000n * USD],
          [address(1), USD],
          [address(3), USD]
        ])
      ]
    ])
  }),
  Effect.succeed({
    chainId: 1,
    priced: [
      { address: NATIVE, decimals: 18, usd: 3_000n * USD },
      { address: address(1), decimals: 6, usd: USD }
    ],
    unpriced: { address: address(2), decimals: 18 },
    toleranceBps: 0n
  })
)
