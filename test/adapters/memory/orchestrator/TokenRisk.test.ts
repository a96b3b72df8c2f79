import { Effect } from "effect"
import * as TokenRisk from "../../../../src/adapters/memory/orchestrator/TokenRisk.ts"
import { NATIVE } from "../../../../src/domain/Token.ts"
import { suite } from "../../../ports/orchestrator/TokenRisk.suite.ts"
import { address } from "../../../support/IntentFixtures.ts"

const owner = address(0x50)
const pauper = address(0x51)

suite(
  "memory",
  TokenRisk.layer({
    tokens: [
      { chainId: 1, address: NATIVE, tier: "tier1", symbol: "ETH", decimals: 18 },
      {
        chainId: 1,
        address: address(1),
        tier: "tier2",
        symbol: "A",
        decimals: 6,
        balances: new Map([[owner, 1_000n]])
      },
      {
        chainId: 1,
        address: address(2),
        tier: "tier3",
        symbol: "B",
        decimals: 6,
        declined: "transfer_taxed"
      },
      { chainId: 1, address: address(3), tier: "tier3", symbol: "C", decimals: 6, declined: "transfer_fails" }
    ]
  }),
  Effect.succeed({
    chainId: 1,
    owner,
    pauper,
    native: { tier: "tier1", symbol: "ETH", decimals: 18 },
    sweepable: { address: address(1), tier: "tier2", symbol: "A", decimals: 6 },
    taxed: address(2),
    stuck: address(3),
    notAToken: address(4)
  })
)
