import { Effect } from "effect"
import * as FeeValue from "../../../../src/adapters/memory/orchestrator/FeeValue.ts"
import { suite } from "../../../ports/orchestrator/FeeValue.suite.ts"
import * as FakeChain from "../../../support/FakeChain.ts"

const token = FakeChain.address(0xb1)

suite(
  "memory",
  FeeValue.layer(new Map([[token, [1n, 3n]]])),
  Effect.succeed({
    client: FakeChain.client({}),
    fee: { token, amount: 30n, holder: FakeChain.address(0x11) },
    worthless: FakeChain.address(0xb2)
  })
)
