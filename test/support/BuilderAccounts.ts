/** Accounts of builders for tests of stores. */
import type { BuilderAccount } from "../../src/domain/Builder.ts"
import * as FakeChain from "./FakeChain.ts"

/** `byte` gives the account its wallet. */
export const account = (id: string, byte: number, changes: Partial<BuilderAccount> = {}): BuilderAccount => ({
  id,
  name: `Name of ${id}`,
  builderBps: 1,
  maxBuilderBps: 2,
  payoutAddress: FakeChain.address(byte),
  payoutMode: "ledger",
  createdAtMs: 1_234,
  ...changes
})
