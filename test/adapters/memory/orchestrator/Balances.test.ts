import { Effect } from "effect"
import * as Balances from "../../../../src/adapters/memory/orchestrator/Balances.ts"
import { NATIVE } from "../../../../src/domain/Token.ts"
import { suite } from "../../../ports/orchestrator/Balances.suite.ts"
import { address } from "../../../support/IntentFixtures.ts"

const owner = address(0x51)
const token = { chainId: 1, address: NATIVE, symbol: "ETH", name: "ETH", decimals: 18 }
const held = [{ token, balance: 3n }]

suite(
  "memory",
  Balances.layer({
    held: new Map([[owner, [...held, { token, balance: 0n }, { token: { ...token, chainId: 2 }, balance: 5n }]]])
  }),
  Effect.succeed({ chainId: 1, owner, pauper: address(0x52), held })
)
